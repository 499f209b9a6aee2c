"""Put values into a page with a real browser, and compare what the page shows.

Usage: python browse.py ADDRESS

Each control of the page is set to one value, to another, and to the first again; where the page shows nothing new, its
buttons are pressed. What is printed is lines of JSON after a word each, so that nothing that the page says can be taken
for a line of this program's own:

    page: {...}    its title, how many controls and buttons it has, and what it shows
    tried: {...}   what was put in, what the page shows that it did not show before, and whether that follows
    wrong: "..."   an error of the page's own scripts
"""

# mypy: disable-error-code="import-not-found, import-untyped"
from __future__ import annotations

import json
import re
import shutil
import sys
import time
from typing import Any

from playwright.sync_api import Error, sync_playwright

TEXTS = ("The wandering albatross spans 351 cm.", "A little tern weighs 56 g.")
LOADS, SETTLES, STILL, EMPTY, ALL_SECONDS = 90.0, 8.0, 1.2, 5.0, 400.0
TRIES, PRESSED, LED, LINKS, SHOWN = 4, 1, 2, 10, 300
#: Buttons that are about the page and not about what it does.
LEFT_ALONE = re.compile(
    r"(?i)\b(deploy|menu|settings|share|close|theme|cop(y|ied)|download|print|record|rerun|stop|clear|reset|sign"
    r"|log ?in|full ?screen|log ?out|built with|use via api|keyboard_double_arrow\w*|star|fork|cookies?)\b"
)
#: Buttons that lead to where there is something to do.
LEADS = re.compile(r"(?i)\b(demo|examples?|samples?|load|start|begin|try|run|generate|launch|open)\b")
#: What the page shows: its text, and the values of fields that nobody types into.
READ = """() => [document.body ? document.body.innerText : "",
    ...[...document.querySelectorAll("textarea,input,output")]
    .filter((one) => one.disabled || one.readOnly).map((one) => one.value || "")].join("\\n")"""
BUSY = """() => document.querySelector('[data-test-script-state="running"], [aria-busy="true"]') !== null"""
REGISTRY = re.compile(r"[^\s()<>\"]*(npmjs|pypi|pythonhosted|debian|crates|rubygems)[.a-z-]*\.(org|com|io)[^\s()<>\"]*")
BUTTONS = 'button, input[type="submit"], input[type="button"], [role="button"]'
CONTROLS = (
    ("text", 'textarea, input:not([type]), input[type="text"], input[type="search"], input[type="email"]'),
    ("number", 'input[type="number"]'),
    ("range", 'input[type="range"], [role="slider"]'),
    ("choice", 'select, input[role="combobox"]'),
    ("mark", 'input[type="checkbox"], input[type="radio"], [role="switch"]'),
)


def say(word: str, value: object) -> None:
    """Print one line of JSON after a word."""
    sys.stdout.write(f"{word}: {json.dumps(value)}\n")
    sys.stdout.flush()


def cut(text: str) -> str:
    """Return a text that is short enough to print, without the addresses of package registries."""
    text = REGISTRY.sub("(a registry)", text)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def shown(page: Any, seconds: float) -> str:
    """Return what the page shows once it stays the same for a while."""
    until, since, last = time.monotonic() + seconds, time.monotonic(), None
    while time.monotonic() < until:
        now = page.evaluate(READ)
        if now != last or page.evaluate(BUSY):
            last, since = now, time.monotonic()
        elif time.monotonic() - since > (STILL if now.strip() else EMPTY):
            break
        page.wait_for_timeout(250)
    return str(last or "")


def controls(page: Any) -> list[tuple[str, Any]]:
    """Return the controls that can be seen and set, those with the most telling values first."""
    found: list[tuple[str, Any]] = []
    for kind, selector in CONTROLS:
        for one in page.locator(selector).all()[:40]:
            role = one.get_attribute("role")
            if kind == "text" and (role == "combobox" or one.get_attribute("readonly") is not None):
                continue
            if one.is_enabled() and (one.is_visible() or kind == "mark"):
                found.append((kind, one))
    return found


def put(page: Any, kind: str, control: Any, which: int) -> str:
    """Set a control to one of its two values; return that value as the page may show it again."""
    if kind == "text":
        control.fill(TEXTS[which])
        control.press("Tab" if control.evaluate("one => one.tagName") == "TEXTAREA" else "Enter")
        return TEXTS[which]
    if kind == "number":
        value = amount(*(control.get_attribute(name) for name in ("min", "max", "step")), which=which)
        control.fill(value)
        control.press("Enter")
        return value
    if kind == "range":
        control.focus()
        control.press("Home")
        for _ in range(3 + 4 * which):
            control.press("ArrowRight")
        return control.get_attribute("aria-valuenow") or control.evaluate("one => one.value || ''") or ""
    if kind == "choice":
        if control.evaluate("one => one.tagName") == "SELECT":
            count = control.locator("option").count()
            control.select_option(index=(1 + which) % max(count, 1))
            return str(control.evaluate("one => one.selectedOptions[0] ? one.selectedOptions[0].text : ''"))
        control.click()
        options = page.locator('[role="option"]')
        options.first.wait_for(timeout=5000)
        chosen = options.nth((1 + which) % max(options.count(), 1))
        label = " ".join(chosen.inner_text().split())
        chosen.click()
        return label
    if control.get_attribute("type") == "radio":
        name = control.get_attribute("name")
        group = page.locator(f'input[type="radio"][name={json.dumps(name)}]') if name else control
        chosen = group.nth((1 + which) % max(group.count(), 1))
        chosen.check(force=True)
        return str(chosen.get_attribute("value") or "")
    control.set_checked(which == 0, force=True)
    return ""


def amount(least: str | None, most: str | None, step: str | None, *, which: int) -> str:
    """Return a number that a field takes; telling where it takes any."""
    low, high, width = plain(least), plain(most), plain(step)
    if low is None or high is None or high - low > 1e6:
        return f"{(low or 0.0) + (351, 56)[which]:g}"
    width = width if width else 1.0
    value = low + round((high - low) * (0.37, 0.61)[which] / width) * width
    return f"{round(value, 6):g}"


def plain(value: str | None) -> float | None:
    """Return the number that an attribute is; None where it is none."""
    return float(value) if value is not None and re.fullmatch(r"-?\d+(\.\d+)?", value) else None


def buttons(page: Any) -> list[tuple[str, Any]]:
    """Return the buttons that can be seen and pressed and are about what the page does, by name."""
    found: list[tuple[str, Any]] = []
    for button in page.locator(BUTTONS).all()[:60]:
        name = " ".join((button.inner_text() or button.get_attribute("value") or "").split())
        if name and not LEFT_ALONE.search(name) and button.is_visible() and button.is_enabled():
            found.append((name, button))
    return found


def press(page: Any, before: str) -> tuple[str, str]:
    """Press buttons until the page shows something else; return which one did it, and what is shown then."""
    for name, button in buttons(page)[:PRESSED]:
        button.click()
        now = shown(page, SETTLES)
        if now != before:
            return name, now
    return "", before


def press_named(page: Any, wanted: str) -> None:
    """Press the button of a name again."""
    for name, button in buttons(page):
        if name == wanted:
            button.click()
            return


def new_in(text: str, before: str, value: str) -> str:
    """Return the lines of a text that another does not have, but for a control's own label of its value."""
    old = {value, *before.splitlines()}
    return "\n".join(line for line in text.splitlines() if line.strip() and line.strip() not in old)


def attempt(page: Any, kind: str, control: Any, before: str) -> bool:
    """Set one control; return whether what the page shows depends on what was put in."""
    label = cut(" ".join(str(control.get_attribute("aria-label") or "").split()))
    value = put(page, kind, control, 0)
    came, pressed = shown(page, SETTLES), ""
    if not new_in(came, before, value):
        pressed, came = press(page, came)
    if not new_in(came, before, value):
        return False
    answers = [new_in(came, before, value)]
    for which in (1, 0):
        now_in = put(page, kind, control, which)
        now = shown(page, SETTLES)
        if pressed:
            press_named(page, pressed)
            now = shown(page, SETTLES)
        answers.append(new_in(now, before, now_in))
    came, otherwise, again = answers
    telling = len(value) > 3 or (plain(value) is not None and len(value) > 1)
    found = telling and holds(came, value) and not holds(otherwise, value)
    follows = came == again and came != otherwise
    says = {
        **{"control": kind, "label": label, "put in": cut(value), "pressed": cut(pressed)},
        **{"came out": cut(came), "then came out": cut(otherwise)},
        **{"found again": [value] if found else [], "follows": follows},
    }
    say("tried", says)
    return found or follows


def holds(text: str, value: str) -> bool:
    """Return whether a text holds a value, a number not as part of another."""
    edge = r"(?<![\d.,])", r"(?![\d]|[.,]\d)"
    return (
        re.search(f"{edge[0]}{re.escape(value)}{edge[1]}" if plain(value) is not None else re.escape(value), text)
        is not None
    )


def work_through(page: Any, before: str, until: float) -> bool:
    """Try the controls that the page shows now, one after another; return whether one was carried through."""
    for kind, control in controls(page)[:TRIES]:
        if time.monotonic() > until:
            return False
        try:
            if attempt(page, kind, control, before):
                return True
            before = shown(page, SETTLES)
        except Error as error:
            say("tried", {"control": kind, "why": cut(str(error).splitlines()[0])})
    return False


def links(page: Any) -> list[str]:
    """Return the addresses of the page's own site that it links to, each once."""
    here = page.evaluate("() => [location.origin, location.pathname]")
    found = page.evaluate("() => [...document.querySelectorAll('a[href]')].map((one) => one.href.split('#')[0])")
    return [one for one in dict.fromkeys(found) if one.startswith(f"{here[0]}/") and one != f"{here[0]}{here[1]}"]


def go_on(page: Any, until: float) -> bool:
    """Press what leads further, then follow links, trying the controls of each place; return as `work_through`."""
    for name, button in [one for one in buttons(page) if LEADS.search(one[0])][:LED]:
        if time.monotonic() > until:
            return False
        button.click()
        say("pressed", cut(name))
        if work_through(page, shown(page, SETTLES), until):
            return True
    for address in links(page)[:LINKS]:
        if time.monotonic() > until:
            return False
        link = page.locator(f"a[href={json.dumps(address)}]").first
        if link.count() and link.is_visible():
            link.click()
        else:
            page.goto(address, wait_until="domcontentloaded")
        say("followed", cut(address.split("/", 3)[-1]))
        if work_through(page, shown(page, LOADS), until):
            return True
    return False


def main(address: str) -> int:
    """Try what the page at an address offers, until one interaction is carried through; return the exit status."""
    until = time.monotonic() + ALL_SECONDS
    browser_file = shutil.which("chromium") or shutil.which("google-chrome")
    switches = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_file, args=switches)
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(8000)
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(cut(" ".join(str(error).split()))))
        page.on("dialog", lambda dialog: dialog.dismiss())
        page.goto(address, wait_until="domcontentloaded", timeout=LOADS * 1000)
        before = shown(page, LOADS)
        first = [cut(line) for line in before.splitlines() if line.strip()][:8]
        counts = {"controls": len(controls(page)), "buttons": len(buttons(page)), "links": len(links(page))}
        say("page", {"title": cut(page.title()), **counts, "shows": first})
        try:
            if not work_through(page, before, until):
                go_on(page, until)
        except Error as error:
            say("stopped", cut(str(error).splitlines()[0]))
        for one in wrong[:3]:
            say("wrong", one)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
