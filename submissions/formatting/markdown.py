"""A Markdown file of docs/ as a page: safe HTML, headings that can be linked to, a table of contents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

CONTENTS_LEVELS = ("h2", "h3")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    title: str
    html: SafeString  # without the title
    contents: tuple[Heading, ...]


@cache  # the file is part of the release: it does not change while the site runs
def read(path: Path) -> MarkdownPage:
    """Raises FileNotFoundError."""
    return render(path.read_text(encoding="utf-8"))


def render(text: str) -> MarkdownPage:
    """HTML in the text is shown as text; a leading level-one heading becomes the title."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    headings = _anchored(tokens)
    title = ""
    if tokens and tokens[0].tag == "h1":
        title = tokens[1].content
        tokens = tokens[3:]
    html = reader.renderer.render(_with_scrolling_tables(tokens), reader.options, {})
    contents = tuple(heading for heading in headings if f"h{heading.level}" in CONTENTS_LEVELS)
    # safe: html is off, so markdown-it has escaped the text
    return MarkdownPage(title, mark_safe(html), contents)  # noqa: S308


def _anchored(tokens: Sequence[Token]) -> list[Heading]:
    """Gives each heading an id that is unique on the page."""
    taken: set[str] = set()
    headings = []
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children or ())
        anchor = _free(slugify(text) or "section", taken)
        taken.add(anchor)
        opening.attrSet("id", anchor)
        headings.append(Heading(int(opening.tag[1]), anchor, text))
    return headings


def _free(anchor: str, taken: set[str]) -> str:
    number = 2
    free = anchor
    while free in taken:
        free = f"{anchor}-{number}"
        number += 1
    return free


def _with_scrolling_tables(tokens: Sequence[Token]) -> list[Token]:
    wrapped: list[Token] = []
    for token in tokens:
        if token.type == "table_open":
            region = Token("region_open", "div", 1)
            region.attrs = {
                "class": "table-wrap",
                "role": "region",
                "tabindex": "0",
                "aria-label": "Table",
            }
            wrapped.append(region)
        wrapped.append(token)
        if token.type == "table_close":
            wrapped.append(Token("region_close", "div", -1))
    return wrapped
