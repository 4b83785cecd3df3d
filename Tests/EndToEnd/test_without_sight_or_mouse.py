"""Signing in, looking and signing out by a text browser, and by the keyboard alone."""

import unittest

from chromium import Chromium
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import staleness_of
from stack import ADMINISTRATOR, PASSWORD, Stack
from w3m import W3M


class WithoutSightOrMouse(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.stack.add_demo()

    def test_w3m_signs_in_and_out(self):
        w3m = W3M(self.stack.url + "/signin", self.stack.directory)
        self.addCleanup(w3m.close)
        w3m.see("or use a local account")
        w3m.press("\t\t\r", "TEXT:")
        w3m.press(ADMINISTRATOR[0] + "\r", ADMINISTRATOR[0])
        w3m.press("\t\r", "Password:")
        w3m.press(ADMINISTRATOR[1] + "\r", "*")
        w3m.press("\t\r", "Nothing is connected yet")
        w3m.find("Sign out")
        w3m.press("\r", "Sign out everywhere?")
        w3m.find("Stay signed in")
        w3m.press("\t\r", "You are signed out here")

    def test_the_keyboard_alone_is_enough(self):
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)
        self.chromium.open(self.stack.url + "/signin")
        self.tab_to("Demo portal")
        self.go(Keys.ENTER, "portal.localhost")
        self.tab_to("username")
        self.keys("ana")
        self.tab_to("password")
        self.keys(PASSWORD)
        self.go(Keys.ENTER, "/account")
        self.assertIn("Healthy", self.chromium.text)
        first = self.focused_after(Keys.TAB)
        self.assertEqual(first["text"], "Skip to content", "the first thing that Tab reaches")
        self.keys(Keys.ENTER)
        self.assertEqual(self.focused_after(Keys.TAB)["text"], "Disconnect Demo portal", "what follows the skipped links")
        self.tab_to("Sign out")
        self.go(Keys.ENTER, "/signout")
        self.tab_to("keep")
        self.keys(Keys.SPACE)
        self.tab_to("Sign out")
        self.go(Keys.ENTER, "/signout")
        self.chromium.until(lambda: "You are signed out here" in self.chromium.text, "the report")

    FOCUSED = """
      const one = document.activeElement, style = getComputedStyle(one), place = one.getBoundingClientRect();
      return {text: (one.innerText || one.name || '').replace(/\\s+/g, ' ').trim(), name: one.name || '',
              inPage: one !== document.body, outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
              seen: place.bottom > 0 && place.top < innerHeight}
    """

    def keys(self, *keys):
        ActionChains(self.chromium.driver).send_keys(*keys).perform()

    def focused_after(self, key):
        self.keys(key)
        return self.chromium.driver.execute_script(self.FOCUSED)

    def tab_to(self, words):
        """Presses Tab until what reads or is called so has the focus, which has to be visible all the way."""
        for _ in range(60):
            focused = self.focused_after(Keys.TAB)
            if not focused["inPage"] or not self.chromium.url.startswith(self.stack.url):
                if words in (focused["text"], focused["name"]):
                    return
                continue
            self.assertTrue(focused["outlined"] and focused["seen"], f"focus on {focused['text']} cannot be seen")
            if focused["name"] == words or focused["text"].startswith(words):
                return
        self.fail(f"Tab never reaches {words}")

    def go(self, key, part):
        """Presses a key that leads to a page whose address holds `part`."""
        before = self.chromium.driver.find_element("tag name", "html")
        self.keys(key)
        self.chromium.until(lambda: staleness_of(before)(self.chromium.driver), "another page")
        self.chromium.wait_for(part)


if __name__ == "__main__":
    unittest.main()
