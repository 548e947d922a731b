"""A search as it is understood: its facts, limits and sides, and the words that results must have."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from submissions.choices import Choice
from submissions.formatting.names import provider_names, service_names
from submissions.pricing.providers import volume_kinds
from submissions.questions.recommend.work import Work
from submissions.search.intents.limits import Limits, limits_of
from submissions.search.intents.words import ARCHITECTURES, BEST, BETWEEN, STOP_WORDS, Best, also_of, slug_of
from submissions.search.terms import Asked, Term, asked, pieces

_REGION = re.compile(r"[a-z]{2,}(-[a-z]+)+-?\d{1,2}")
_MACHINE = re.compile(r"[a-z][a-z0-9-]*\d[a-z0-9.-]*")
_VERSION = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){0,3})(?:\.x)?")
_VALUE = re.compile(r"\b(?:best value|value for money|(?:operations|ops|op) per (?:dollar|\$)|ops/\$|best price)", re.I)
_CLOUDS = frozenset({"cloud", "clouds", "provider", "providers"})
_WORKS: Mapping[str, Work] = {
    **dict.fromkeys(("read", "reads"), Work.READS),
    **dict.fromkeys(("write", "writes"), Work.WRITES),
    "mixed": Work.MIXED,
}


class FactWord(Choice):
    """A fact that a word of a search can be; the value is a filter of the list of results."""

    SERVICE = "service"
    PROVIDER = "provider"
    REGION = "region"
    DISK_KIND = "disk_kind"
    ARCHITECTURE = "architecture"


@dataclass(frozen=True, slots=True)
class Reading:
    """`words` are for results; `facts` are filters of the list; `is_whole`: nothing else is in the search."""

    typed: Asked
    words: Asked
    facts: Mapping[FactWord, str]
    limits: Limits = Limits()
    best: Best | None = None
    work: Work | None = None
    of_clouds: bool = False  # "cheapest cloud"
    is_whole: bool = False
    sides: tuple[Asked, Asked] | None = None

    @property
    def service(self) -> str:
        return self.facts.get(FactWord.SERVICE, "")

    @property
    def machines(self) -> tuple[str, str] | None:
        """The names of two machine types or families that are set against each other."""
        names = [_machine(side) for side in self.sides or ()]
        is_pair = len(names) == 2 and all(names) and names[0] != names[1] and not self.architectures
        return (names[0], names[1]) if is_pair else None

    @property
    def machine(self) -> str:
        """What may be the name of one machine type, where nothing else is in the search."""
        return "" if self.sides or self.facts or self.limits.fields else _machine(self.typed)

    @property
    def architectures(self) -> tuple[str, str] | None:
        """Of "arm vs x86", "redis arm vs x86": the values of the fact, the one that is more common first."""
        found = [{architecture for term in side.terms if (architecture := _architecture(term))} for side in _of(self)]
        if len(found) != 2 or any(len(each) != 1 for each in found) or found[0] == found[1]:
            return None
        others = [term for side in _of(self) for term in side.terms if not _architecture(term)]
        is_known = all(slug_of(term.text.lower(), service_names()) for term in others)
        return (ARCHITECTURES["x86"][0], ARCHITECTURES["arm"][0]) if is_known else None

    @property
    def side_service(self) -> str:
        """The first database of two sides; empty without one."""
        terms = (term for side in _of(self) for term in side.terms)
        return next(filter(None, (slug_of(term.text.lower(), service_names()) for term in terms)), "")


def read(typed: Asked) -> Reading:
    """A search with quotes, and one for a number, is taken by its words alone."""
    if typed.number is not None or any(term.is_quoted for term in typed.terms):
        return Reading(typed, typed, {})
    limits, text = limits_of(typed.text)
    has_value = _VALUE.search(text) is not None
    terms = asked(_VALUE.sub(" ", text)).terms
    if sides := _sides(terms):
        one, other = (tuple(_searched(side)) for side in sides)
        words = Asked(typed.text, one, other_side=other)
        return Reading(typed, words, {}, limits, sides=(Asked("", one), Asked("", other)))
    said = [term.text.lower().strip("?!.,") for term in terms]
    best = Best.VALUE if has_value else next((BEST[word] for word in said if word in BEST), None)
    work = next((_WORKS[word] for word in said if word in _WORKS), None)
    facts = dict(_facts(said))
    has_question = best is not None or bool(limits.fields)
    of_clouds = has_question and not _CLOUDS.isdisjoint(said) and FactWord.PROVIDER not in facts
    understood = {*BEST, *STOP_WORDS, *(_CLOUDS if of_clouds or FactWord.PROVIDER in facts else ())}
    searched = tuple(_searched([term for term, word in zip(terms, said, strict=True) if word not in understood]))
    is_whole = all(_fact(word) or word in understood or (has_question and word in _WORKS) for word in said)
    words = Asked(typed.text, searched) if searched or has_question else typed
    return Reading(typed, words, facts, limits, best, work, of_clouds, is_whole)


def _of(reading: Reading) -> tuple[Asked, ...]:
    return reading.sides or ()


def _architecture(term: Term) -> str:
    """Empty for other words."""
    return ARCHITECTURES.get(term.text.lower(), ("",))[0]


def _sides(terms: Sequence[Term]) -> tuple[Sequence[Term], Sequence[Term]] | None:
    places = [place for place, term in enumerate(terms) if len(term.pieces) == 1 and term.pieces[0] in BETWEEN]
    if len(places) != 1:
        return None
    sides = terms[: places[0]], terms[places[0] + 1 :]
    one, other = ([term for term in side if term.pieces[0] not in {*STOP_WORDS, *BEST}] for side in sides)
    return (one, other) if one and other else None


def _searched(terms: Sequence[Term]) -> Iterator[Term]:
    """With what each is called in rows; the number behind a database is the beginning of its version."""
    left = list(terms)
    while left:
        term = left.pop(0)
        word = term.text.lower()
        service = slug_of(word, service_names())
        version = _VERSION.fullmatch(left[0].text.lower()) if service and left else None
        if version and not (len(left) > 1 and left[1].text.lower() in ("node", "nodes")):
            number = left.pop(0)
            yield Term(f"{term.text} {number.text}", (*pieces(service or ""), *pieces(version[1])))
            continue
        yield replace(term, also=also_of(word))


def _facts(words: Sequence[str]) -> Iterator[tuple[FactWord, str]]:
    for word in reversed(words):  # of two of a kind the first
        if fact := _fact(word):
            yield fact


def _fact(word: str) -> tuple[FactWord, str] | None:
    if word in STOP_WORDS:  # "on" is no beginning of "on-premises"
        return None
    if word in ARCHITECTURES:
        return FactWord.ARCHITECTURE, ARCHITECTURES[word][0]
    if word in volume_kinds():
        return FactWord.DISK_KIND, word
    if service := slug_of(word, service_names()):
        return FactWord.SERVICE, service
    if provider := slug_of(word, provider_names()):
        return FactWord.PROVIDER, provider
    return (FactWord.REGION, word) if _REGION.fullmatch(word) else None


def _machine(side: Asked) -> str:
    """Its name where one word of a side may be that of a machine; empty where none may."""
    names = [term.text.lower() for term in side.terms if _MACHINE.fullmatch(term.text.lower())]
    return names[0] if len(names) == 1 and len(side.terms) == 1 else ""
