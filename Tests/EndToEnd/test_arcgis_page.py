"""A web page on another origin, in a real browser, that knows Gatehouse as its ArcGIS portal and nothing else of it."""

import http.server
import json
import threading
import unittest
import urllib.parse

from chromium import Chromium
from stack import Stack

# What ArcGIS REST JS does in a page: sign in by code and PKCE, ask who it is, query a service, end the token.
PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>Map</title><h1>Map</h1><pre></pre><script>
const portal = %s, clientId = %s, redirectUri = location.origin + '/'
const say = text => { document.querySelector('pre').textContent += text + '\\n' }
const base64url = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '')
const post = async (url, form) => (await fetch(url, {method: 'POST', credentials: 'same-origin',
  headers: {'Content-Type': 'application/x-www-form-urlencoded'}, body: new URLSearchParams({f: 'json', ...form})})).json()
async function begin() {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  const state = JSON.stringify({id: 'x1', originalUrl: location.href})
  sessionStorage.setItem('x1', verifier)
  location.href = portal + '/sharing/rest/oauth2/authorize?' + new URLSearchParams({client_id: clientId, response_type: 'code',
    expiration: 20160, redirect_uri: redirectUri, state, locale: '', style: '', code_challenge_method: 'S256',
    code_challenge: challenge})
}
async function complete(query) {
  const state = JSON.parse(query.get('state'))
  const tokens = await post(portal + '/sharing/rest/oauth2/token', {client_id: clientId, grant_type: 'authorization_code',
    redirect_uri: redirectUri, code_verifier: sessionStorage.getItem(state.id), code: query.get('code')})
  say('signed in as ' + tokens.username)
  const token = tokens.access_token
  const self = await (await fetch(portal + '/sharing/rest/community/self?' + new URLSearchParams({f: 'json', token}))).json()
  say('I am ' + self.fullName)
  const found = await post(portal + '/sharing/rest/search', {q: 'type:"Web Map"', token})
  const map = await (await fetch(`${portal}/sharing/rest/content/items/${found.results.find(item => item.type === 'Web Map').id}/data?f=json`,
    {headers: {'X-Esri-Authorization': 'Bearer ' + token}})).json()
  const layer = map.operationalLayers[0].url
  say('layer ' + layer)
  const features = await post(layer + '/query', {where: '1=1', outFields: '*', token})
  say(features.features.length + ' features')
  const refreshed = await post(portal + '/sharing/rest/oauth2/token', {client_id: clientId, grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token})
  say('refreshed ' + !!refreshed.access_token)
  const ended = await post(portal + '/sharing/rest/oauth2/revokeToken/', {client_id: clientId, auth_token: tokens.refresh_token})
  say('ended ' + ended.success)
  say('then ' + (await post(layer + '/query', {where: '1=1', token})).error.code)
  say('done')
}
const query = new URLSearchParams(location.search)
if (query.has('code')) complete(query).catch(error => say('failed: ' + error)); else begin()
</script>"""


class PageServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        self.page = b""
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.server.page)))
        self.end_headers()
        self.wfile.write(self.server.page)

    def log_message(self, *arguments):
        pass


class ArcGISPage(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.stack.add_demo(
            "--resource", self.stack.portal, "--resource", self.stack.server_root, "--allow-network", "127.0.0.0/8",
            "--allow-http")
        self.site = PageServer()
        self.addCleanup(self.site.close)
        client = json.loads(self.stack.cli(
            "client", "create", "--name", "Map page", "--type", "public", "--grant", "authorization_code", "--grant",
            "refresh_token", "--redirect-uri", self.site.url, "--scope", "arcgis", "--connection", "demo", "--json"))
        self.portal = f"{self.stack.url}/demo"
        self.site.page = (PAGE % (json.dumps(self.portal), json.dumps(client["client_id"]))).encode()
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)

    def test_signing_in_querying_and_ending(self):
        self.chromium.open(self.site.url)
        self.chromium.until(lambda: "/signin" in self.chromium.url, "the sign-in page")
        self.chromium.press("Demo portal")
        self.chromium.sign_in_at_portal()
        self.chromium.photograph("consent-to-a-portal")
        self.chromium.follow(self.chromium.find("button[value=allow]"))
        self.chromium.until(lambda: "done" in self.chromium.text or "failed" in self.chromium.text, "the end")
        said = self.chromium.text
        for words in ["signed in as ana", "I am Ana", f"layer {self.portal}/servers/server.localhost:", "3 features",
                      "refreshed true", "ended true", "then 498"]:
            self.assertIn(words, said)
        self.assertEqual(self.chromium.complaints(), [])

    def test_an_app_password_and_the_code_for_it(self):
        client = json.loads(self.stack.cli("client", "list", "--json"))[0]["client_id"]
        self.stack.cli("connection", "app-passwords", "demo", "--client", client)
        chromium = self.chromium
        chromium.open(self.stack.url + "/signin/demo")
        chromium.sign_in_at_portal()
        chromium.open(self.stack.url + "/account/apps")
        chromium.press("Make an app password")
        password = chromium.find("section.secret .joined code").text
        chromium.photograph("app-password-made")
        self.assertIn(f"{self.portal}", chromium.text)
        chromium.open(f"{self.portal}/sharing/rest/oauth2/authorize?" + urllib.parse.urlencode({
            "client_id": client, "response_type": "code", "redirect_uri": "urn:ietf:wg:oauth:2.0:oob"}))
        for typed, words in [("correct horse battery", "User name or password is wrong"), (password, "Copy this code")]:
            chromium.fill("username", "ana")
            chromium.fill("password", typed)
            chromium.press("Sign in")
            chromium.until(lambda words=words: words in chromium.text, words)
            chromium.photograph("app-password-" + words.split()[0].lower())
        self.assertIn("SUCCESS code=", chromium.title)
        self.assertEqual(chromium.complaints(), [])


if __name__ == "__main__":
    unittest.main()
