"""Who leads a ranking, in one sentence that claims no lead which noise does not allow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from submissions.analysis.compare import Verdict
from submissions.analysis.ranking import Standing
from submissions.formatting.numbers import significant

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Words:
    """How a ranking is spoken of."""

    what: str  # "instance type": what is ranked
    figure: Callable[[float], str]  # 4.4e8 -> "440 million operations per dollar"
    higher_is_better: bool = True
    superlative: str = "best figure"  # "A has the ..."


def sentence(standings: Sequence[tuple[str, Standing]], words: Words) -> str:
    """(name, standing), best first, in words; without a full stop, for what stands at its end."""
    if not standings:
        return ""
    (name, first), others = standings[0], standings[1:]
    if not others:
        return f"{name}: {words.figure(first.entry.figure)}; it is the only {words.what} that can be ranked"
    tied = [(other, one) for other, one in others if one.leads]
    within = [(other, one) for other, one in tied if one.verdict != Verdict.TOO_FEW_TRIALS]
    unsure = [other for other, one in tied if one.verdict == Verdict.TOO_FEW_TRIALS]
    if within:
        lowest = within[-1][1].entry.figure
        said = (
            f"{_names([name, *(other for other, _ in within)])} lead within noise: "
            f"{_range(words, first.entry.figure, lowest)}"
        )
        return f"{said}; too few trials place {_names(unsure)}" if unsure else said
    next_name, following = others[0]
    advantage = _advantage(first, next_name, following, words)
    if unsure:
        return (
            f"{name} has the {words.superlative}: {words.figure(first.entry.figure)}, {advantage}; "
            f"too few trials to tell it from {_names(unsure)}"
        )
    return f"{name} leads: {words.figure(first.entry.figure)}, {advantage}"


def is_tied(standings: Sequence[Standing]) -> bool:
    """Whether the first one cannot be told from another."""
    return len(standings) > 1 and standings[0].is_tied


def _advantage(first: Standing, next_name: str, following: Standing, words: Words) -> str:
    ratio = following.entry.figure / first.entry.figure
    if words.higher_is_better:
        return f"{significant(1 / ratio)} times that of {next_name}"
    return f"{significant(ratio)} times lower than {next_name}"


def _range(words: Words, best: float, last: float) -> str:
    if significant(best) == significant(last):
        return words.figure(best)
    return f"{words.figure(best)} and {words.figure(last)}" if best != last else words.figure(best)


def _names(names: Sequence[str]) -> str:
    shown = list(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        shown.append(f"{len(names) - MOST_NAMED:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
