"""A headless Chromium of the system, driven by selenium; nothing is downloaded."""

import base64
import shutil
import tempfile
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException, StaleElementReferenceException, WebDriverException)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of

from stack import ARTEFACTS, CALLBACK, PASSWORD

WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")
ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-features=Translate,OptimizationHints,MediaRouter,HttpsFirstBalancedModeAutoEnable",
    "--hide-scrollbars", "--window-size=1280,900")


class Chromium:
    """One browser with a fresh profile; must be closed."""

    def __init__(self, runs_scripts=True, trusts_everybody=False):
        self.profile = tempfile.mkdtemp(prefix="gatehouse-chromium-")
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in (*ARGUMENTS, f"--user-data-dir={self.profile}"):
            options.add_argument(argument)
        options.accept_insecure_certs = trusts_everybody
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        try:
            self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        except BaseException:
            shutil.rmtree(self.profile, ignore_errors=True)
            raise
        self.driver.set_page_load_timeout(20)
        if not runs_scripts:
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})

    def close(self):
        try:
            self.driver.quit()
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)

    # What is seen.

    @property
    def url(self):
        return self.driver.current_url

    @property
    def text(self):
        return self.until(lambda: (self.driver.find_element(By.TAG_NAME, "body").text,), "page")[0]

    @property
    def title(self):
        return self.driver.title

    def complaints(self):
        """What the console holds, such as a content security policy that was broken."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] != "INFO" and "the server responded with a status of" not in entry["message"]]

    def photograph(self, name):
        """Pictures of the whole page at both widths, light and dark, with how far it is wider than the window."""
        folder = ARTEFACTS / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        overflow = []
        for width in WIDTHS:
            self.command(
                "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            for scheme in SCHEMES:
                self.command("Emulation.setEmulatedMedia", features=[
                    {"name": "prefers-color-scheme", "value": scheme},
                    # Nothing may be caught half-way between two colours.
                    {"name": "prefers-reduced-motion", "value": "reduce"}])
                picture = self.command(
                    "Page.captureScreenshot", format="png", captureBeyondViewport=True, optimizeForSpeed=True)
                (folder / f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(picture["data"]))
            overflow.append(max(0, self.command("Page.getLayoutMetrics")["cssContentSize"]["width"] - width))
        self.command("Emulation.setEmulatedMedia", features=[])
        self.command("Emulation.clearDeviceMetricsOverride")
        return max(overflow)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    # Who uses it.

    def speak(self, language):
        """Asks for pages in `language` from now on."""
        agent = self.driver.execute_script("return navigator.userAgent")
        self.command("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)

    def adopt(self, url, browser):
        """Takes the cookies that another browser has for the host of `url`."""
        for name, value in browser.cookies.get(urllib.parse.urlsplit(url).hostname, {}).items():
            self.driver.execute_cdp_cmd("Network.setCookie", {"name": name, "value": value, "url": url})

    # What a person does.

    def open(self, url):
        self.driver.get(url)

    def find(self, selector, seconds=20):
        """The first visible element."""
        def visible():
            found = self.driver.find_elements(By.CSS_SELECTOR, selector)
            return next((one for one in found if one.is_displayed()), None)
        return self.until(visible, selector, seconds)

    def fill(self, name, text):
        field = self.find(f'[name="{name}"]')
        field.clear()
        field.send_keys(text)

    def choose(self, name, value):
        """Ticks the box, or takes the choice, unless it is chosen already."""
        box = self.driver.find_element(By.CSS_SELECTOR, f'[name="{name}"][value="{value}"]')
        if not box.is_selected():
            box.find_element(By.XPATH, "./ancestor::label").click()
        assert box.is_selected(), f"{name} {value}"

    def press(self, words):
        """Presses the button or link that reads so, and waits for the page that follows."""
        def named():
            for one in self.driver.find_elements(By.CSS_SELECTOR, "button, a"):
                if one.is_displayed() and words.lower() in " ".join(one.text.split()).lower():
                    return one
            return None
        self.follow(self.until(named, words))

    def follow(self, element):
        """Clicks something that leads to another page, and waits for it."""
        before = self.driver.find_element(By.TAG_NAME, "html")
        element.click()
        self.until(lambda: staleness_of(before)(self.driver), "another page than this")

    def wait_for(self, part):
        """Waits until the address holds `part`."""
        self.until(lambda: part in self.url, part)

    def until(self, seen, wanted, seconds=20):
        """Waits for what `seen` answers, while pages come and go under it; says what was there instead."""
        end = time.monotonic() + seconds
        while True:
            try:
                if found := seen():
                    return found
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            except WebDriverException as error:  # What the driver says when the page goes while it looks.
                if "does not belong to the document" not in error.msg:
                    raise
            if time.monotonic() > end:
                raise AssertionError(f"no {wanted} within {seconds} s at {self.url}: {self.driver.page_source}")
            time.sleep(0.05)

    def sign_in_at_portal(self, user="ana"):
        self.fill("username", user)
        self.fill("password", PASSWORD)
        self.follow(self.find("button[type=submit], button:not([value=cancel])"))

    def arrived_at_app(self):
        """The address with which the browser came back to the app, where nothing listens."""
        self.wait_for(CALLBACK)
        return self.url

    def app_token(self, stack, client, allow=("demo",)):
        """The person who is signed in lets `client` act for them: what the app holds afterwards."""
        url, verifier = stack.authorization_url(client)
        self.open(url)
        for connection in allow:
            self.choose("connection", connection)
        self.find("button[value=allow]").click()
        arrived = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.arrived_at_app()).query))
        answer = stack.redeem(client, arrived["code"], verifier)
        assert answer.status == 200, answer.text
        return answer.json
