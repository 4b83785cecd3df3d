"""What attackers and broken programs put in the place of a parameter, encoded as it goes into a query or a form."""

import urllib.parse

quote = urllib.parse.quote_plus

# Nothing that a form can hold: the whole form is refused.
UNREADABLE = {
    "NUL": "a%00b", "invalid UTF-8": "%ff%fe", "overlong UTF-8": "%c0%af", "a surrogate": "%ed%a0%80",
    "beyond Unicode": "%f4%90%80%80", "a cut character": "%e2%82", "a broken escape": "%zz", "a cut escape": "%4"}

TWINS = str.maketrans("aceopxyis", "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0455")

# Text that is readable, and is not the value that it looks like.
CHANGES = {
    "line breaks": lambda value: value + "\r\nSet-Cookie: a=b",
    "control characters": lambda value: value + "\x01\x1f\x7f",
    "look-alike letters": lambda value: value.translate(TWINS) if value.translate(TWINS) != value else value + "\u0430",
    "another composition": lambda value: value + "e\u0301",
    "an invisible character": lambda value: value + "\u200b",
    "written from right to left": lambda value: "\u202e" + value,
    "markup": lambda value: value + "<script>alert(1)</script>",
    "a query in SQL": lambda value: value + "' OR '1'='1",
    "another parameter": lambda value: value + "&client_id=another#",
    "long": lambda value: value + "A" * 6000,
}
CHANGED = {name: (lambda value, change=change: quote(change(value))) for name, change in CHANGES.items()}

CALLBACK = "https://app.example/callback"

# Each is one trick against `CALLBACK`, `https://app.example/own?tenant=1` and `http://127.0.0.1/native`, registered all three.
REDIRECTS = [
    # More, less, or other than what is registered.
    CALLBACK + "/", CALLBACK + "?a=b", CALLBACK + "?", CALLBACK + "#", CALLBACK + "#a", CALLBACK + "/../callback", CALLBACK + "/.",
    CALLBACK + ";a", CALLBACK + "%20", CALLBACK + " ", " " + CALLBACK, CALLBACK + "\t", CALLBACK + "\r\nLocation: https://evil.example",
    CALLBACK + "\0", CALLBACK + ".evil", CALLBACK[:-1], CALLBACK.replace("callback", "Callback"), CALLBACK.replace("callback", "c%61llback"),
    CALLBACK.replace("callback", "%63allback"), CALLBACK.replace("/callback", "//callback"), CALLBACK.replace("/callback", "/./callback"),
    CALLBACK.replace("/callback", "/x/../callback"), CALLBACK.replace("/callback", "/%2e%2e/callback"),
    CALLBACK.replace("/callback", "/x/%2e%2e/callback"), CALLBACK.replace("/callback", "\\callback"), "https://app.example/own",
    "https://app.example/own?tenant=2", "https://app.example/own?tenant=1&tenant=2", "https://app.example/own?tenant=1&", "/callback", "callback",
    # Other schemes.
    CALLBACK.replace("https", "http"), CALLBACK.replace("https", "HTTPS"), CALLBACK.replace("https:", ""), CALLBACK.replace("https://", "https:/"),
    CALLBACK.replace("https://", "https:///"), CALLBACK.replace("https://", "https:\\\\"), "javascript:alert(1)//" + CALLBACK,
    "data:text/html,x", "file:///etc/passwd", "blob:" + CALLBACK, "view-source:" + CALLBACK,
    # Other hosts, and the same one in other words.
    CALLBACK.replace("app.example", "APP.example"), CALLBACK.replace("app.example", "app.example."), CALLBACK.replace("app.example", "app.example:443"),
    CALLBACK.replace("app.example", "app.example:8443"), CALLBACK.replace("app.example", "app.example:"), CALLBACK.replace("app.example", "app.example.evil.example"),
    CALLBACK.replace("app.example", "evil.example"), CALLBACK.replace("app.example", "evilapp.example"), CALLBACK.replace("app.example", "sub.app.example"),
    CALLBACK.replace("app.example", "user@app.example"), CALLBACK.replace("app.example", "app.example@evil.example"),
    CALLBACK.replace("app.example", "app.example%40evil.example"), CALLBACK.replace("app.example", "evil.example#@app.example"),
    CALLBACK.replace("app.example", "evil.example\\@app.example"), CALLBACK.replace("app.example", "evil.example%2f@app.example"),
    CALLBACK.replace("app.example", "evil.example?app.example"), CALLBACK.replace("app.example", "app%2eexample"),
    CALLBACK.replace("app.example", "app\u3002example"), CALLBACK.replace("app.example", "\uff41pp.example"), CALLBACK.replace("app.example", "\u0430pp.example"),
    CALLBACK.replace("app.example", "[::1]"), CALLBACK.replace("app.example", "app.example\u0000.evil.example"), "https://evil.example/?" + CALLBACK,
    "https://evil.example/#" + CALLBACK, CALLBACK + "," + CALLBACK, CALLBACK + " https://evil.example/",
    # The port of a loopback address may differ, and nothing else.
    "http://127.0.0.1:8080/native/", "http://127.0.0.1:8080/native?a=b", "http://127.0.0.1:8080/native#a", "http://127.0.0.1:8080/Native",
    "http://127.0.0.1:99999/native", "http://127.0.0.1:0x50/native", "http://127.0.0.1:-1/native", "http://127.0.0.1:8080:80/native",
    "http://127.0.0.1:8080@evil.example/native", "http://evil.example@127.0.0.1:8080/native", "http://127.0.0.1:8080\\@evil.example/native",
    "http://127.0.0.1.evil.example:8080/native", "http://127.0.0.2:8080/native", "http://127.1:8080/native", "http://2130706433:8080/native",
    "http://0x7f.0.0.1:8080/native", "http://0177.0.0.1:8080/native", "http://[::1]:8080/native", "http://[::ffff:127.0.0.1]:8080/native",
    "http://localhost:8080/native", "http://0.0.0.0:8080/native", "https://127.0.0.1:8080/native", "http://127.0.0.1 :8080/native",
]
