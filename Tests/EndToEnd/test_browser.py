"""The whole product in a real browser: every page is used by its own buttons, and photographed."""

import http.server
import json
import re
import threading
import unittest
import urllib.parse

from chromium import Chromium
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.support.ui import Select
from stack import ADMINISTRATOR, Browser, Stack, until


class AppServer(http.server.ThreadingHTTPServer):
    """The app's own web server, to which people return."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.redirect_uri = f"http://localhost:{self.server_port}/callback"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"<!doctype html><html lang=en><title>App</title><h1>Back at the app</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class InTheBrowser(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.app = AppServer()
        self.addCleanup(self.app.close)
        self.photographs = True

    def open(self, runs_scripts=True):
        self.chromium = Chromium(runs_scripts)
        self.addCleanup(self.chromium.close)

    def see(self, name, *words):
        """The page reads so, is no error, fits the width, and keeps its own content security policy."""
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        if self.photographs:
            self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def test_from_the_setup_link_to_the_sign_out_report(self):
        self.open()
        self.whole_story()
        self.further_pages()

    def test_the_same_with_scripts_off(self):
        self.photographs = False
        self.open(runs_scripts=False)
        with self.assertRaises(JavascriptException):
            self.chromium.open("data:text/html,<script>document.title='on'</script>")
            assert self.chromium.title != "on"
            raise JavascriptException("off")
        self.whole_story()

    def whole_story(self):
        self.set_up()
        self.add_connection()
        client = self.register_client()
        self.sign_in()
        tokens = self.allow(client)
        self.use(tokens)
        self.sign_out(tokens)

    def set_up(self):
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/")
        see("home-fresh")
        chromium.open(self.stack.setup_link())
        see("setup", "administrator")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("display_name", "Root")
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.fill("password_again", ADMINISTRATOR[1] + " not")
        chromium.press("Create")
        see("setup-error", "differ")
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.fill("password_again", ADMINISTRATOR[1])
        chromium.press("Create")
        chromium.wait_for("/admin")
        see("admin-overview-fresh")

    def add_connection(self):
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/admin/connections")
        see("admin-connections-none")
        chromium.open(self.stack.url + "/admin/connections/new")
        see("admin-connection-new", "Add a connection")
        Select(chromium.find("#kind")).select_by_value("oauthUser")
        chromium.fill("name", "Demo portal")
        chromium.fill("id", "Demo!")
        chromium.fill("portal_url", self.stack.portal + "/home/")
        chromium.fill("client_id", "gatehouse-demo")
        chromium.find('[name=admission][value=anyone]').click()
        chromium.press("Add connection")
        see("admin-connection-new-error", "Use 1 to 40 of a-z")
        chromium.fill("id", "demo")
        chromium.press("Add connection")
        chromium.wait_for("/admin/connections/demo")
        see("admin-connection", "Demo portal")
        chromium.open(self.stack.url + "/admin/connections")
        see("admin-connections", "Demo portal")

    def register_client(self):
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/admin/clients")
        see("admin-clients-none")
        chromium.open(self.stack.url + "/admin/clients/new")
        see("admin-client-new", "Register a client")
        chromium.fill("name", "Map app")
        chromium.choose("type", "confidential")
        chromium.fill("redirect_uris", self.app.redirect_uri)
        for grant in ("authorization_code", "refresh_token", "token_exchange"):
            chromium.choose("grant", grant)
        chromium.choose("scope", "vend")
        chromium.choose("connection", "demo")
        chromium.choose("raw_token", "demo")
        chromium.press("Register client")
        see("admin-client-created", "Copy the secret now")
        secret = chromium.find("#secret").text
        client_id = chromium.find("dl code").text
        chromium.open(self.stack.url + "/admin/clients")
        see("admin-clients", "Map app")
        chromium.open(f"{self.stack.url}/admin/clients/{client_id}")
        see("admin-client", "Map app")
        self.assertNotIn(secret, chromium.driver.page_source)
        return {"client_id": client_id, "client_secret": secret}

    def sign_in(self):
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/")
        see("home")
        chromium.open(self.stack.url + "/account")
        chromium.wait_for("/signin")
        see("sign-in", "Demo portal")
        chromium.fill("username", "nobody")
        chromium.fill("password", "wrong")
        chromium.press("Sign in")
        see("sign-in-error", "do not match")
        chromium.press("Demo portal")
        chromium.sign_in_at_portal()
        chromium.wait_for("/account")
        self.assertNotIn("code=", chromium.url)
        see("account", "Demo portal", "ana", "No app has used")

    def allow(self, client):
        see, chromium = self.see, self.chromium
        url, verifier = self.stack.authorization_url(client, self.app.redirect_uri)
        chromium.open(url)
        see("consent", "Map app", "Demo portal")
        chromium.choose("connection", "demo")
        chromium.follow(chromium.find("button[value=allow]"))
        chromium.wait_for(self.app.redirect_uri)
        self.assertIn("Back at the app", chromium.text)
        arrived = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(chromium.url).query))
        self.assertEqual(arrived["state"], "s-1")
        self.assertEqual(arrived["iss"], self.stack.url)
        answer = self.stack.redeem(client, arrived["code"], verifier, self.app.redirect_uri)
        self.assertEqual(answer.status, 200, answer.text)
        with self.subTest("a second request is not asked again"):
            url, verifier = self.stack.authorization_url(client, self.app.redirect_uri)
            chromium.open(url)
            self.assertIn("Back at the app", chromium.text)
        return answer.json

    def use(self, tokens):
        see, chromium = self.see, self.chromium
        vended = self.stack.vend(tokens["access_token"])
        self.assertEqual(vended.status, 200, vended.text)
        self.assertIn("fields", self.stack.call(vended))
        self.held = vended
        chromium.open(self.stack.url + "/account")
        see("account-used", "Map app", "Demo portal")
        chromium.open(self.stack.url + "/admin")
        see("admin-overview")
        chromium.open(self.stack.url + "/admin/audit")
        see("admin-audit", "Map app")
        chromium.open(self.stack.url + "/admin/accounts")
        see("admin-accounts", "ana")
        chromium.open(self.stack.url + "/account/apps")
        see("account-apps", "Map app", "Demo portal")
        chromium.press("See what it took")
        see("account-ledger", "What Map app took", "Demo portal", "Token for")
        self.ask_why()
        self.ask_for_more()
        chromium.open(self.stack.url + "/account/apps")
        chromium.press("Take back")
        see("withdraw-consent", "Take back what Map app may do?")

    def ask_why(self):
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/admin/ledger")
        see("admin-ledger", "Map app", "Granted")
        chromium.follow(chromium.find("td a[href*='/admin/why']"))
        see("admin-why", "It would get something", "Nothing stands in front")
        chromium.fill("account", "nobody")
        chromium.press("Ask")
        see("admin-why-refused", "It would be refused", "No account has this name")
        self.stack.cli("why", "--client", "Map app", "--user", "ana", "--url", self.stack.layer)
        self.stack.cli("why", "--client", "Map app", "--url", self.stack.layer, expect=2)
        entries = json.loads(self.stack.cli("ledger", "--client", "Map app", "--outcome", "granted", "--json"))["entries"]
        self.assertEqual([(one["account"], one["resource"]) for one in entries], [("ana", self.stack.layer)])

    def ask_for_more(self):
        """An app that was allowed something asks for another scope."""
        see, chromium = self.see, self.chromium
        client = self.stack.add_client("--scope", "openid", "--redirect-uri", self.app.redirect_uri)
        url, _ = self.stack.authorization_url(client, self.app.redirect_uri)
        chromium.open(url)
        chromium.choose("connection", "demo")
        chromium.follow(chromium.find("button[value=allow]"))
        chromium.wait_for(self.app.redirect_uri)
        chromium.open(url.replace("scope=vend", "scope=openid+vend"))
        see("consent-more", "to do more?", "You allowed it before", "Demo portal")

    def sign_out(self, tokens):
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/signout")
        see("sign-out", "Demo portal")
        chromium.press("Sign out")
        see("sign-out-report", "Demo portal", "revoked")
        self.assertIn("error", self.stack.call(self.held))
        self.assertEqual(self.stack.vend(tokens["access_token"]).status, 401)
        chromium.driver.back()
        chromium.open(self.stack.url + "/account")
        chromium.wait_for("/signin")
        chromium.open(self.stack.url + "/signed-out")
        see("signed-out")

    def further_pages(self):
        """Pages that the straight way does not meet."""
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/nothing-here")
        see("error", "nothing at this path")
        chromium.open(self.stack.setup_link())
        see("setup-done")
        chromium.open(self.stack.url + "/callback/demo?state=unknown&code=x")
        see("callback-unknown")
        self.finds_reference("GET /callback/:connection")
        chromium.open(self.stack.url + "/signin/demo")
        if "/account" not in chromium.url:
            chromium.sign_in_at_portal()
        chromium.wait_for("/account")
        chromium.open(self.stack.url + "/connect/demo")
        see("connect", "Demo portal")
        chromium.open(self.stack.url + "/disconnect/demo")
        see("disconnect", "Demo portal")
        chromium.press("Disconnect")
        chromium.wait_for("/account?disconnected")
        see("account-disconnected", "is disconnected", "Connect")
        # Somebody else of the same portal arrives in this account.
        chromium.open(self.stack.portal + "/sharing/rest/oauth2/signout?client_id=gatehouse-demo")
        chromium.open(self.stack.url + "/connect/demo")
        chromium.press("Go to portal.localhost")
        chromium.sign_in_at_portal("ben")
        see("connect-other-identity", "ben")
        self.stack.fault(endpoint="token", kind="status", value=503)
        chromium.open(self.stack.portal + "/sharing/rest/oauth2/signout?client_id=gatehouse-demo")
        chromium.open(self.stack.url + "/connect/demo")
        chromium.press("Go to portal.localhost")
        chromium.sign_in_at_portal()
        see("upstream-down", "Demo portal")
        self.stack.clear_faults()
        self.another_secret()
        self.refused_people()
        self.invited_people()

    def finds_reference(self, route):
        """The reference on the page stands in the log, with the route."""
        reference = re.search(r"<dt>Reference</dt><dd><code>([^<]+)<", self.chromium.driver.page_source).group(1)
        lines = until(lambda: [
            line for line in self.stack.log_path.read_text().splitlines() if reference in line and route in line])
        self.assertEqual(len(lines), 1, lines)

    def another_secret(self):
        """Reloading the page of a new secret shows nothing again and makes nothing."""
        see, chromium = self.see, self.chromium
        chromium.open(self.stack.url + "/admin")
        see("sign-in-administration", "Sign in to the administration")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        chromium.wait_for("/admin")
        client_id = self.stack.query("SELECT id FROM client")[0][0]
        for name, words in (("first", "24 hours"), ("second", "The older secret ends at once")):
            chromium.open(f"{self.stack.url}/admin/clients/{client_id}/rotate")
            see(f"admin-client-rotate-{name}", words)
            chromium.press("Make a new secret")
            see(f"admin-client-secret-{name}", "Copy the secret now")
        secrets = self.stack.query("SELECT hash FROM client_secret")
        chromium.driver.refresh()
        see("admin-client-secret-gone", "cannot be shown again")
        self.assertEqual(self.stack.query("SELECT hash FROM client_secret"), secrets)

    def refused_people(self):
        self.stack.cli(
            "connection", "create", "--id", "closed", "--name", "Closed portal", "--kind", "oauthUser",
            "--portal-url", self.stack.portal, "--client-id", "gatehouse-demo", "--admit", "invited")
        browser = Browser()
        page = browser.follow(browser.get(self.stack.url + "/signin/closed"))
        self.assertIn("redirect", page.text.lower())

    def invited_people(self):
        """A connection for invited people turns somebody away, then lets them in by the link."""
        see, chromium = self.see, self.chromium
        self.stack.cli("connection", "delete", "closed", "--yes")
        self.stack.query("UPDATE connection SET admission = 'invited'")
        self.stack.restart()
        chromium.driver.delete_cookie("gh_s")
        chromium.open(self.stack.portal + "/sharing/rest/oauth2/signout?client_id=gatehouse-demo")
        chromium.open(self.stack.url + "/signin/demo")
        chromium.sign_in_at_portal("ben")
        see("not-invited", "admits only invited people", "ben")
        chromium.open(self.stack.url + "/admin/connections/demo")
        chromium.fill("invitee_name", "Ben Ek")
        chromium.fill("invitee_username", "ben")
        chromium.press("Invite a person")
        see("admin-invitation", "Copy the link now")
        link = chromium.find("#link").text
        self.invites_by_command(link)
        chromium.driver.refresh()
        see("admin-invitation-gone", "cannot be shown again")
        chromium.open(self.stack.url + "/admin/connections/demo")
        see("admin-connection-invitations", "Ben Ek")
        chromium.open(self.stack.portal + "/sharing/rest/oauth2/signout?client_id=gatehouse-demo")
        chromium.open(link)
        see("invitation", "You are invited", "ben")
        chromium.press("Go to portal.localhost")
        chromium.sign_in_at_portal("ben")
        chromium.wait_for("/account")
        see("account-invited", "Ben Ek", "ben")
        chromium.open(link)
        see("invitation-over", "This invitation does not work")
        self.stack.cli("connection", "disable", "demo")
        chromium.open(self.stack.url + "/account")
        see("account-switched-off", "switched this service off")
        self.assertNotIn("Reconnect", chromium.text)
        chromium.open(self.stack.url + "/signin/demo")
        see("signin-switched-off", "switched Demo portal off")

    def invites_by_command(self, link):
        """The command line does the same as the page, and sees what the page did."""
        cli = self.stack.cli
        made = json.loads(cli("account", "invite", "--connection", "demo", "--name", "Cy", "--json"))
        self.assertTrue(made["link"].startswith(self.stack.url + "/invitation?ticket="))
        self.assertEqual(made["link"].split("=")[0], link.split("=")[0])
        self.assertEqual(
            {one["name"] for one in json.loads(cli("account", "invitations", "--json"))}, {"Ben Ek", "Cy"})
        cli("account", "uninvite", made["id"])
        self.assertEqual([one["name"] for one in json.loads(cli("account", "invitations", "--json"))], ["Ben Ek"])
        self.assertEqual(Browser().get(made["link"]).status, 404)


if __name__ == "__main__":
    unittest.main()
