"""What every page must be: valid HTML, nothing inline, nothing that a strict policy would block."""

import re
from functools import lru_cache

from justhtml import JustHTML

DATA_BLOCKS = ("application/json", "application/ld+json")  # no browser runs them
HOSTILE = '<script>alert(1)</script>" onmouseover="alert(2)\' {{ 7*7 }} </title>'


def parsed(response):
    return _parsed(response.content)


@lru_cache(maxsize=4)
def _parsed(content):
    """Once for all that a test looks for in a page: a large one takes a third of a second."""
    return JustHTML(content.decode(), collect_errors=True, sanitize=False)


def text(response):
    """The words of the body as a reader sees them, white space folded."""
    return " ".join(parsed(response).query("main")[0].to_text(separator="", strip=False).split())


def faults(response):
    """Parse errors, and elements or attributes that the content security policy blocks."""
    document = parsed(response)
    found = [f"line {error.line}: {error.code}" for error in document.errors]
    for element in document.query("*"):
        attributes = element.attrs or {}
        found += [f"<{element.name} {name}>" for name in attributes if name == "style" or name.startswith("on")]
        if element.name == "style":
            found.append("<style>")
        if element.name == "script" and "src" not in attributes and attributes.get("type") not in DATA_BLOCKS:
            found.append("<script> without src")
    ids = [element.attrs["id"] for element in document.query("[id]")]
    found += [f"id {name} twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    return found


def links(response, pattern="."):
    """The addresses of the links whose address matches."""
    return [a.attrs["href"] for a in parsed(response).query("a[href]") if re.search(pattern, a.attrs["href"])]


def checked_values(response, name):
    """The values of the ticked boxes of a name."""
    boxes = parsed(response).query(f'input[name="{name}"]')
    return [box.attrs["value"] for box in boxes if "checked" in box.attrs]
