"""The words of a search that are no names: those that say nothing, and those that ask for something."""

from collections.abc import Mapping
from enum import Enum

from submissions.formatting.names import display_names
from submissions.search.terms import Pieces, pieces


class Best(Enum):
    """What a reader wants most."""

    CHEAPEST = "cheapest"
    FASTEST = "fastest"
    VALUE = "value"


BETWEEN = frozenset({"vs", "versus", "or", "against"})
STOP_WORDS = frozenset(
    (
        *("a", "an", "and", "are", "at", "best", "by", "cost", "costs", "database", "databases", "db", "do"),
        *("does", "find", "for", "from", "give", "how", "in", "is", "it", "me", "much", "my", "of"),
        *("on", "result", "results", "running", "show", "that", "the", "there", "to", "top", "using", "what", "when"),
        *("where", "which", "with", "benchmark", "benchmarks"),
    )
)
BEST: Mapping[str, Best] = {
    **dict.fromkeys(("cheap", "cheaper", "cheapest", "lowest-cost", "affordable"), Best.CHEAPEST),
    **dict.fromkeys(("fast", "faster", "fastest", "quickest"), Best.FASTEST),
}
# What results may have instead, in the names of their processors; the first is the value of the fact
ARM: tuple[str, ...] = (
    *("arm64", "arm", "aarch64", "neoverse", "ampere", "axion"),
    *("graviton", "graviton2", "graviton3", "graviton4"),
)
X86: tuple[str, ...] = ("x86_64", "x86", "amd64", "xeon", "epyc")
ARCHITECTURES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("arm", "arm64", "aarch64", "graviton"), ARM),
    **dict.fromkeys(("x86", "x86_64", "x86-64", "amd64"), X86),
}
# What a cloud or a database is called beside its slug and its display name
SYNONYMS: Mapping[str, str] = {
    "gcp": "gce",
    "pg": "postgresql",
    "psql": "postgresql",
    "postgres": "postgresql",
    "mongo": "mongodb",
    "scylla": "scylladb",
    "cockroach": "cockroachdb",
    "yugabyte": "yugabytedb",
}
FEWEST_OF_NAME = 4  # letters of the beginning of a name


def slug_of(word: str, slugs: Mapping[str, str]) -> str | None:
    """The slug of `slugs` (with display names) that a word means: itself, its beginning, a word of the name of one."""
    word = SYNONYMS.get(word, word)
    if word in slugs:
        return word
    named = {slug for slug, name in slugs.items() if word in pieces(name)}
    begun = {slug for slug in slugs if len(word) >= FEWEST_OF_NAME and slug.startswith(word)}
    for chosen in (named, begun):
        if len(chosen) == 1:
            return chosen.pop()
    return None


def name_pieces() -> set[str]:
    """Every word of a name of a database, a cloud or a load tool."""
    return {piece for pair in display_names() for name in pair for piece in pieces(name)}


def also_of(word: str) -> tuple[Pieces, ...]:
    """What a word is searched for as, too."""
    if word in SYNONYMS:
        return (pieces(SYNONYMS[word]),)
    return tuple(pieces(other) for other in ARCHITECTURES.get(word, ()) if other != word)
