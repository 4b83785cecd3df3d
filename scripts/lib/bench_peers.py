"""What scripts/bench measures with: a run of wrk, the servers beside Gatehouse, and what a process takes."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time

from stack import free_port

TICK = os.sysconf("SC_CLK_TCK")
SERVER_CPU, CLIENT_CPU = "0", "1"


def pinned(cpu, *command):
    return ["taskset", "-c", cpu, *command]


def tree(pid):
    pids = [pid]
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            children = pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii")
        except FileNotFoundError:
            continue  # The thread has ended since.
        for child in children.split():
            pids += tree(int(child))
    return pids


def cpu_seconds(pid):
    total = 0
    for one in tree(pid):
        with open(f"/proc/{one}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def memory(pid):
    """Proportional memory of a process tree, in KiB."""
    total = 0
    for one in tree(pid):
        with open(f"/proc/{one}/smaps_rollup", encoding="ascii") as file:
            total += int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M).group(1))
    return total


def peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))


class Rate:
    """One run of wrk against a server whose CPU time is watched; `refused`: every answer is to be a refusal."""

    def __init__(self, pid, url, seconds, connections=64, script=None, headers=(), environment=None, refused=False):
        command = pinned(CLIENT_CPU, "wrk", "-t", "1", "-c", str(connections), "--latency", "--timeout", "20s")
        for header in headers:
            command += ["-H", header]
        if script:
            command += ["-s", str(script)]
        env = {**os.environ, **(environment or {})}
        before = cpu_seconds(pid)
        done = subprocess.run(
            command + ["-d", f"{seconds}s", url], env=env, capture_output=True, text=True, check=True)
        used = cpu_seconds(pid) - before
        requests = int(re.search(r"(\d+) requests in", done.stdout).group(1))
        wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
        if done.stderr or (int(wrong.group(1)) if wrong else 0) != (requests if refused else 0):
            raise SystemExit(f"{url}: not every answer was right: {done.stdout}{done.stderr}")
        self.per_second = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))
        self.cpu = used / requests * 1e6
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done.stdout).groups()
        self.p99 = float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


class Nginx:
    """nginx with one worker, serving a fixed JSON answer and a file."""

    def __init__(self, directory, page, json_body, certificate):
        self.directory = directory / "nginx"
        (self.directory / "files").mkdir(parents=True, exist_ok=True)
        shutil.copy(page, self.directory / "files" / "page.css")
        self.port, self.tls_port = free_port(), free_port()
        (self.directory / "nginx.conf").write_text(f"""
            daemon off; worker_processes 1; pid {self.directory}/pid; error_log /dev/null;
            user root;
            events {{ worker_connections 4096; }}
            http {{
              access_log off; keepalive_requests 1000000000; default_type text/plain; types {{ text/css css; }}
              sendfile on; open_file_cache max=100; tcp_nodelay on;
              ssl_certificate {certificate}/cert.pem; ssl_certificate_key {certificate}/key.pem;
              ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:s:1m;
              server {{
                listen 127.0.0.1:{self.port} reuseport; listen 127.0.0.1:{self.tls_port} ssl;
                root {self.directory}/files;
                location = /json {{ default_type application/json; return 200 '{json_body}'; }}
              }}
            }}""")
        self.process = subprocess.Popen(
            pinned(SERVER_CPU, "nginx", "-p", str(self.directory), "-c", str(self.directory / "nginx.conf")),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self.port)
        self.pid = self.process.pid

    def close(self):
        self.process.terminate()
        self.process.wait(10)


class Proxied:
    """Two nginx: one with a file of 100 MB beside the demo portal, and one that passes requests on to it."""

    def __init__(self, directory, simulator_port):
        self.directory = directory / "proxied"
        (self.directory / "home" / "files").mkdir(parents=True)
        (self.directory / "home" / "upload").mkdir()
        self.file = self.directory / "home" / "files" / "body"
        self.file.write_bytes(os.urandom(1 << 20) * 100)
        port, self.proxy_port = free_port(), free_port()
        self.authority = f"portal.localhost:{port}"
        self.portal = f"http://{self.authority}"
        common = "client_max_body_size 0; proxy_set_header Host $http_host; proxy_http_version 1.1;"
        self.processes = [
            self.run(CLIENT_CPU, "upstream", f"""
                listen 127.0.0.1:{port}; {common}
                location / {{ proxy_pass http://127.0.0.1:{simulator_port}; }}
                location /home/files/ {{ root {self.directory}; sendfile on; }}
                location /home/upload/ {{ root {self.directory}; dav_methods PUT; }}"""),
            self.run(SERVER_CPU, "proxy", f"""
                listen 127.0.0.1:{self.proxy_port}; {common}
                location / {{
                  proxy_pass http://127.0.0.1:{port}; proxy_request_buffering off; proxy_max_temp_file_size 0;
                }}""")]
        wait_for(port)
        wait_for(self.proxy_port)

    def run(self, cpu, name, server):
        file = self.directory / f"{name}.conf"
        file.write_text(f"""
            daemon off; worker_processes 1; pid {self.directory}/{name}.pid; error_log /dev/null; user root;
            events {{ }} http {{ access_log off; client_body_temp_path {self.directory}/{name}-body; server {{ {server} }} }}""")
        return subprocess.Popen(
            pinned(cpu, "nginx", "-p", str(self.directory), "-c", str(file)),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        for process in self.processes:
            process.terminate()
            process.wait(10)


def transfer(*words):
    """Bytes per second that curl sent or got."""
    done = subprocess.run(
        pinned(CLIENT_CPU, "curl", "-sS", "-o", "/dev/null", "-H", "Expect:", "-w",
               "%{http_code} %{speed_download} %{speed_upload}", *words),
        capture_output=True, text=True, check=True)
    status, down, up = done.stdout.split()
    if not status.startswith("2"):
        raise SystemExit(f"{words[-1]} answered {status}")
    return max(float(down), float(up))


class Watch:
    """The most memory that a process took in a while, in KiB."""

    def __init__(self, pid):
        self.pid, self.most, self.over = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.over.wait(0.02):
            self.most = max(self.most, memory(self.pid))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def wait_for(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")
