"""Reads pages of a local server: the commands that fetch and decode them, and what is in them."""

from __future__ import annotations

import re
import shlex
from urllib.parse import urljoin, urlsplit

_LOCAL = r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])"
_URL = re.compile(rf"{_LOCAL}(?::(?P<port>\d+))?(?P<path>/[^\s`'\"<>)\]]*)?")
_LOOKS = re.compile(r"\.(css|js|png|ico|svg|woff2?)(\?|$)|/static/|/-/|/node_modules/|-lock\.json|\.before$")
_TITLE = (
    "python3 -c 'import re, sys, html; "
    'print("title:", html.unescape(re.search(r"(?is)<title[^>]*>(.*?)</title>", sys.stdin.read())[1]).strip())\''
)


def local_urls(text: str) -> tuple[tuple[int, str], ...]:
    """Return the port and path of each address of this machine in `text`, in order."""
    found = []
    for match in _URL.finditer(text):
        path = (match["path"] or "/").rstrip(".,;:`>_")
        found.append((int(match["port"] or 80), path or "/"))
    return tuple(dict.fromkeys(found))


def fetch(url: str) -> str:
    """Return the command that prints what is at `url`, and fails where the server answers with an error."""
    return f"curl -sSf --noproxy '*' --max-time 20 {shlex.quote(url)}"


def finding(url: str, text: str) -> str:
    """Return the command that looks for `text` in the page at `url`."""
    return f"set -o pipefail; {fetch(url)} | grep -F -- {shlex.quote(text)}"


def decoding(url: str, body: str) -> str | None:
    """Return the command that decodes the page at `url`, by what its body looks like; None where it is neither."""
    if body.lstrip().startswith(("{", "[")):
        return f"set -o pipefail; {fetch(url)} | python3 -m json.tool"
    if re.search(r"(?is)<title[^>]*>\s*\S.*?</title>", body):
        return f"set -o pipefail; {fetch(url)} | {_TITLE}"
    return None


def links(url: str, body: str) -> tuple[str, ...]:
    """Return the addresses on the same server that a page links to, without those of its looks."""
    here = urlsplit(url).netloc
    found = []
    for reference in re.findall(r"""href=["']?([^"' >#]+)""", body):
        target = urljoin(url, reference)
        if urlsplit(target).netloc == here and not _LOOKS.search(target):
            found.append(target)
    return tuple(dict.fromkeys(found))
