"""The search that a reader may have meant: words of it that nobody has, as the site writes them."""

from difflib import get_close_matches
from functools import cache

from submissions.search.intents.words import ARCHITECTURES, BEST, BETWEEN, STOP_WORDS, SYNONYMS, name_pieces
from submissions.search.site_pages import site_pages
from submissions.search.terms import Asked, pieces

FEWEST_LETTERS = 4
_LIKENESS = 0.8  # "casandra" and "cassandra": 0.94


def did_you_mean(search: Asked) -> str:
    """The search with its misspelt words put right; empty where no word of it is one."""
    right = [_right(term.text.lower()) if not term.is_quoted else "" for term in search.terms]
    if not any(right):
        return ""
    return " ".join(word or term.text for word, term in zip(right, search.terms, strict=True))


def _right(word: str) -> str:
    """The word that a misspelt one is most like; empty for what is right, or like nothing."""
    words = _vocabulary()
    if len(word) < FEWEST_LETTERS or not word.isalpha() or any(right.startswith(word) for right in words):
        return ""
    return next(iter(get_close_matches(word, words, 1, _LIKENESS)), "")


@cache
def _vocabulary() -> tuple[str, ...]:
    """Words of names, of pages and of questions; names first."""
    labels = (piece for page in site_pages() for text in (page.label, page.about) for piece in pieces(text))
    others = (*SYNONYMS, *BEST, *BETWEEN, *ARCHITECTURES, *STOP_WORDS, *sorted(labels))
    return tuple(
        word
        for word in dict.fromkeys((*sorted(name_pieces()), *others))
        if word.isalpha() and len(word) >= FEWEST_LETTERS
    )
