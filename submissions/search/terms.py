"""What a reader typed, as terms that all must be found: whatever it is, the database can read what is made of it."""

import re
from dataclasses import dataclass
from functools import cache

from submissions.formatting.names import display_names
from submissions.models import MAX_ID

MOST_TERMS = 12
# What separates words, as submissions_search_words() of the database has it
SEPARATORS = r"\s\x00-\x1f!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~·×–—…“”‘’«»"
_SEPARATOR = re.compile(f"[{SEPARATORS}]+")
_QUOTES = str.maketrans("“”„«»", '"""""')
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_NUMBER = re.compile(r"#?(\d{1,19})", re.ASCII)
FEWEST_OF_PREFIX = 2  # letters: nearly every result has a word that begins with one given letter

Pieces = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """Pieces that follow one another: "m5.xlarge" has two. Of the last one the beginning is enough, where not exact.

    A number is always whole: the "1" of "us-east-1" is not that of a "us-east-10".
    """

    text: str  # as it was typed
    pieces: Pieces
    is_quoted: bool = False
    also: tuple[Pieces, ...] = ()  # other words that are as good, whole: "arm" finds arm64

    @property
    def is_prefix(self) -> bool:
        last = self.pieces[-1]
        return not self.is_quoted and len(last) >= FEWEST_OF_PREFIX and not last.isdigit()

    def matches(self, words: Pieces) -> bool:
        """Whether these words of a name have the term."""
        first, last, n = self.pieces[:-1], self.pieces[-1], len(self.pieces)
        for start in range(len(words) - n + 1):
            end = words[start + n - 1]
            if words[start : start + n - 1] == first and (end.startswith(last) if self.is_prefix else end == last):
                return True
        return False

    def pattern(self) -> str:
        """A regular expression of the same in a text as it is written."""
        whole = f"(?![^{SEPARATORS}])"
        own = f"{_written(self.pieces)}{f'[^{SEPARATORS}]*' if self.is_prefix else whole}"
        ways = "|".join((own, *(f"{_written(other)}{whole}" for other in self.also)))
        return f"(?<![^{SEPARATORS}])(?:{ways})"


@dataclass(frozen=True, slots=True)
class Asked:
    """A search: its terms, and the number of a submission where it may be one."""

    text: str
    terms: tuple[Term, ...]
    number: int | None = None
    other_side: tuple[Term, ...] = ()  # of "i4i vs i3": what has all terms of either side is found

    @property
    def all_terms(self) -> tuple[Term, ...]:
        return (*self.terms, *self.other_side)

    @property
    def is_empty(self) -> bool:
        return not self.terms and self.number is None

    def without(self, term: Term) -> "Asked":
        rest = tuple(each for each in self.terms if each is not term)
        return Asked(" ".join(each.text for each in rest), rest)

    def matches(self, *names: str) -> bool:
        """Whether these names together have every term; none has no term."""
        words = tuple(piece for name in names for piece in (*pieces(name), ""))  # no phrase goes over from name to name
        return bool(self.terms) and all(term.matches(words) for term in self.terms)

    @property
    def tsquery(self) -> str:
        """For to_tsquery: pieces have no quotes, backslashes or operators. Empty where there is no term."""
        sides = [" & ".join(_of_term(term) for term in side) for side in (self.terms, self.other_side) if side]
        return " | ".join(f"({side})" for side in sides) if len(sides) > 1 else "".join(sides)


def asked(text: str) -> Asked:
    """ "#72" is a number alone, "72" may be one; all else is words and "quoted phrases"."""
    text = " ".join(text.split())
    number = _NUMBER.fullmatch(text)
    pk = int(number[1]) if number and 0 < int(number[1]) <= MAX_ID else None
    if pk is not None and text.startswith("#"):
        return Asked(text, (), pk)
    return Asked(text, tuple(_terms(text)), pk)


def pieces(text: str) -> Pieces:
    """ "m5.xlarge" -> ("m5", "xlarge")."""
    return tuple(piece for piece in _SEPARATOR.split(text.lower()) if piece)


def _terms(text: str) -> list[Term]:
    found: dict[tuple[Pieces, bool], Term] = {}
    for match in _TERM.finditer(text.translate(_QUOTES)):
        is_quoted = match[1] is not None
        words = pieces(match[0])
        if words:
            found.setdefault((words, is_quoted), Term(match[0], words, is_quoted))
    return list(found.values())


def _of_term(term: Term) -> str:
    """A term or the slug of what it is a display name of: "google" is found in results of "gce"."""
    ways = [_phrase(term.pieces, is_prefix=term.is_prefix)]
    ways += [_phrase(other) for other in term.also]
    ways += [_phrase(slug) for slug, name in _names() if term.matches(name) and not term.matches(slug)]
    return f"({' | '.join(ways)})"


def _written(words: Pieces) -> str:
    return f"[{SEPARATORS}]+".join(map(re.escape, words))


def _phrase(words: Pieces, *, is_prefix: bool = False) -> str:
    return " <-> ".join(f"'{word}'" for word in words) + (":*" if is_prefix else "")


@cache
def _names() -> tuple[tuple[Pieces, Pieces], ...]:
    return tuple({(pieces(slug), pieces(name)): None for slug, name in display_names()})
