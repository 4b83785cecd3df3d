"""How much is used, by whom and of what: in the dashboard, as files, by the command line, and after a crash."""

import csv
import io
import json
import random
import signal
import threading
import time
import unittest
import urllib.parse

from chromium import Chromium
from selenium.webdriver.support.ui import Select
from stack import ADMINISTRATOR, Browser, Stack, until

SECRET = "gatehouse-demo-secret"
LAYERS = [f"/server/rest/services/{name}/FeatureServer" for name in
          ("Traffic", "Parcels", "Harbours", "Lights", "Trees", "Schools", "Buses")]


class Telemetry(unittest.TestCase):
    def setUp(self):
        self.stack = Stack(simulator_options=["--client-secret", f"gatehouse-demo:{SECRET}"]).start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        file = self.stack.directory / "secret"
        file.write_text(SECRET + "\n")
        file.chmod(0o600)
        self.stack.cli(
            "connection", "create", "--id", "jobs", "--name", "Nightly jobs", "--kind", "oauthApplication",
            "--portal-url", self.stack.portal, "--client-id", "gatehouse-demo", "--client-secret-file", str(file), "--json")
        self.stack.add_demo()
        self.client = self.stack.add_client("--connection", "jobs")
        self.name = self.client["client_id"]

    def make_key(self, name, *options):
        return json.loads(self.stack.cli(
            "key", "create", "--client", self.name, "--name", name, "--connection", "jobs", "--json", *options))

    def take(self, key, resource=None):
        query = urllib.parse.urlencode({"resource": resource or self.stack.portal + LAYERS[0] + "/0/query?f=json"})
        return Browser().get(f"{self.stack.url}/v1/token?{query}", headers={"X-API-Key": key})

    def usage(self, by, *options):
        return json.loads(self.stack.cli("usage", "--by", by, "--json", *options))

    def figures(self, by, *options):
        return [(one["name"], one["calls"], one["refusals"]) for one in self.usage(by, *options)["entries"]]

    def vend_some(self):
        """Three by a key, two of a person; and refused: a URL that a key does not reach, an address, and one unknown."""
        self.key = self.make_key("Night")
        narrow = self.make_key("=Narrow", "--resource", self.stack.portal + LAYERS[1])
        far = self.make_key("Far", "--network", "192.0.2.0/24")
        browser = Browser()
        self.stack.sign_in(browser)
        access = self.stack.app_token(browser, self.client, ["demo"])["access_token"]
        for _ in range(3):
            self.assertEqual(self.take(self.key["key"]).status, 200)
        self.assertEqual(self.take(narrow["key"]).status, 403)
        self.assertEqual(self.take(far["key"]).status, 403)
        for number in range(2):
            self.assertEqual(self.stack.vend(access, self.stack.portal + LAYERS[1] + f"/{number}").status, 200)
        self.assertEqual(self.stack.vend(access, "https://elsewhere.example/x").status, 400)
        self.assertTrue(until(lambda: self.usage("client")["total"] == {"calls": 5, "refusals": 3}, 5, 0.2))

    def test_everything_that_is_vended_is_counted_by_what_it_was(self):
        self.vend_some()
        portal = self.stack.portal
        app = self.usage("client")["entries"][0]["name"]
        self.assertEqual(self.figures("client"), [(app, 5, 3)])
        self.assertEqual(
            sorted(self.figures("key")),
            [("=Narrow", 0, 1), ("Far", 0, 1), ("Night", 3, 0), ("Without an API key", 2, 1)])
        self.assertEqual(
            sorted(self.figures("connection")), [("Demo portal", 2, 0), ("Nightly jobs", 3, 1), ("No connection", 0, 2)])
        self.assertEqual(
            sorted(self.figures("resource")),
            [("Nothing that is told apart", 0, 2), (portal + LAYERS[1], 2, 0), (portal + LAYERS[0], 3, 1)])
        # A key is charged to Gatehouse, whose connection it uses, and a person's token to the person.
        self.assertEqual(sorted(self.figures("account")), [("Gatehouse itself", 3, 2), ("ana", 2, 1)])
        narrowed = self.figures("resource", "--account", "ana", "--connection", "demo")
        self.assertEqual(narrowed, [(portal + LAYERS[1], 2, 0)])
        self.assertEqual(self.figures("client", "--resource", portal + "/server/rest/services"), [(app, 5, 1)])
        self.assertEqual(self.figures("account", "--key", "Night", "--days", "1"), [("Gatehouse itself", 3, 0)])
        # The figures are those of the ledger, beside the keys that were refused before they asked for anything.
        vends = self.stack.query("SELECT name, count(*) FROM audit WHERE name IN ('sensitive_read', 'vend_refused') GROUP BY 1")
        self.assertEqual(dict(vends), {"sensitive_read": 5, "vend_refused": 2})
        with self.subTest("what is asked for wrongly is told at once"):
            self.assertIn("Nothing is called nobody", self.stack.cli("usage", "--account", "nobody", expect=1))
            self.assertIn("must be client, key", self.stack.cli("usage", "--by", "day", expect=64))
            self.assertIn("1 to 365", self.stack.cli("usage", "--days", "366", expect=64))
            self.assertIn("exclude each other", self.stack.cli("usage", "--csv", "--json", expect=64))
        with self.subTest("it outlives a restart"):
            self.stack.restart()
            self.assertEqual(self.usage("client")["total"], {"calls": 5, "refusals": 3})
        with self.subTest("and what it tells of"):
            self.stack.cli("key", "revoke", self.key["id"])
            self.stack.cli("client", "delete", self.name, "--yes")
            self.assertEqual(self.figures("client"), [(self.name, 5, 3)])

    def test_files_hold_the_same_figures(self):
        self.vend_some()
        browser = Browser()
        page = browser.get(self.stack.url + "/admin")
        page = browser.follow(page)
        browser.follow(browser.post(
            self.stack.url + "/signin", {**page.fields(), "username": ADMINISTRATOR[0], "password": ADMINISTRATOR[1]}))
        answer = browser.get(self.stack.url + "/admin/usage.csv?by=key&days=7")
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.headers["content-type"], "text/csv; charset=utf-8; header=present")
        self.assertIn("attachment", answer.headers["content-disposition"])
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        self.assertEqual(list(rows[0]), ["day", "by", "id", "name", "calls", "refusals"])
        told = {row["name"]: (int(row["calls"]), int(row["refusals"])) for row in rows}
        # No spreadsheet takes the name for a formula.
        self.assertEqual(told, {"'=Narrow": (0, 1), "Far": (0, 1), "Night": (3, 0), "Without an API key": (2, 1)})
        listed = self.stack.cli("usage", "--by", "key", "--days", "7", "--csv")
        self.assertEqual(listed.splitlines(), answer.text.splitlines())
        answer = browser.get(self.stack.url + "/admin/usage.json?by=key&days=7")
        self.assertEqual(answer.json, self.usage("key", "--days", "7"))
        self.assertEqual(browser.get(self.stack.url + "/admin/usage.json?by=colour").status, 400)
        self.assertEqual(Browser().get(self.stack.url + "/admin/usage.csv").status, 303)

    def test_a_crash_loses_a_second_of_counts_and_no_audit_row(self):
        key = self.make_key("Night")["key"]
        answered, lives = [], [True]

        def work():
            while lives:
                try:
                    if self.take(key).status == 200:
                        answered.append(time.monotonic())
                except OSError:
                    return

        for _ in range(3):
            del answered[:]
            before = self.stack.query("SELECT count(*) FROM audit WHERE name = 'sensitive_read'")[0][0]
            workers = [threading.Thread(target=work) for _ in range(4)]
            for worker in workers:
                worker.start()
            time.sleep(2.2 + random.random())
            died = time.monotonic()
            self.stack.stop(signal.SIGKILL)
            for worker in workers:
                worker.join(30)
            audited = self.stack.query("SELECT count(*) FROM audit WHERE name = 'sensitive_read'")[0][0]
            self.assertGreaterEqual(audited - before, len(answered), "no audit row of what was answered is lost")
            for table in ("vend_use_day", "api_key_day"):
                counted = self.stack.query(f"SELECT sum(calls) FROM {table}")[0][0] or 0
                lost = audited - counted - getattr(self, "gone", {}).get(table, 0)
                # Beside those of the last second, what was asked for and not answered any more.
                late = len([moment for moment in answered if moment > died - 1]) + len(workers)
                self.assertLessEqual(lost, late, f"{table}: {lost} of {audited} are lost")
                self.gone = {**getattr(self, "gone", {}), table: audited - counted}
            self.stack.start()
            self.assertIn("intact", self.stack.cli("audit", "verify"))

    # The page.

    def fill_a_year(self):
        """Uses of a year, as they would be counted."""
        chance = random.Random(7)
        today = int(time.time()) // 86_400
        keys = [self.make_key(name)["id"] for name in ("Tile cache", "Night batch", "Field app")]
        rows = [
            (key, resource, account)
            for key in ("", *keys) for resource in LAYERS for account in ("acct_service", "acct_1", "acct_2")]
        self.stack.stop()
        account = self.stack.query("SELECT id FROM account WHERE role = 'service'")
        service = account[0][0] if account else "acct_service"
        for number, (key, resource, account) in enumerate(rows, 1):
            self.stack.query(
                "INSERT INTO vend_use VALUES (?, ?, ?, ?, ?, ?, ?)", number, self.name, key, "jobs" if key else "demo",
                service if account == "acct_service" else account, self.stack.portal + resource, today)
            weight = chance.randrange(1, 400)
            self.stack.query(
                "INSERT INTO vend_use_day SELECT ?, value, abs(random()) % ?, abs(random()) % ? FROM json_each(?)", number,
                weight, weight // 12 + 1, json.dumps([today - day for day in range(365) if (today - day) % 7 < 5]))
        self.stack.start()

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def test_the_page_shows_pictures_and_the_same_figures_as_text(self):
        self.fill_a_year()
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)
        chromium = self.chromium
        chromium.open(self.stack.url + "/admin")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        chromium.open(self.stack.url + "/admin/usage")
        self.see("admin-usage", "By client, last 30 days", "Calls by day", "Refusals by day")
        Select(chromium.find("#by")).select_by_value("resource")
        chromium.press("Show")
        self.see("admin-usage-by-resource", "By resource, last 30 days", LAYERS[0], "All others")
        chromium.find("details.more summary").click()
        self.see("admin-usage-figures", "In all")
        Select(chromium.find("#days")).select_by_value("365")
        Select(chromium.find("#by")).select_by_value("key")
        chromium.press("Show")
        self.see("admin-usage-year", "By API key, last 365 days", "Calls by week", "Tile cache")
        chromium.press("Tile cache")
        self.see("admin-usage-of-a-key", "By resource, last 365 days", "Show all")
        chromium.fill("account", "nobody")
        chromium.press("Show")
        self.see("admin-usage-error", "No account has this name")


if __name__ == "__main__":
    unittest.main()
