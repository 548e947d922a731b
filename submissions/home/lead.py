"""What may lead the first page: who offers the best value, or a pair of clusters that noise does not explain."""

from dataclasses import dataclass
from itertools import islice

from submissions.analysis.comparison.ranking import MOST_RANKED, RankedEntry
from submissions.analysis.comparison.verdicts import Judgement, Verdict
from submissions.choices import Architecture
from submissions.formatting.names import provider_name
from submissions.home.sentences import contrast_words
from submissions.metrics import OPS_PER_USD
from submissions.models import Submission
from submissions.questions.boards.ranking import rank_submissions
from submissions.questions.value.query import ValueResult
from submissions.questions.value.sentences import finding


@dataclass(frozen=True, slots=True)
class Lead:
    finding: str
    is_conclusive: bool


@dataclass(frozen=True, slots=True)
class Contrast:
    """The best of all, and the best of another cloud or architecture that is worse beyond noise."""

    leader: Submission
    rival: Submission
    rival_of: str  # "Azure", "x86"
    judgement: Judgement  # of the rival


def lead_of(value: ValueResult) -> Lead:
    """Of thousands of clusters that were measured once the first fifty are tied: then the best of each cloud differ."""
    if _is_conclusive(value.ranking):
        return Lead(finding(value), is_conclusive=True)
    if found := contrast(value):
        leader, rival = (value.params.by.name_of(row) for row in (found.leader, found.rival))
        words = contrast_words(leader, rival, found.rival_of, found.leader, found.judgement)
        return Lead(words, is_conclusive=True)
    return Lead(finding(value), is_conclusive=False)


def contrast(value: ValueResult) -> Contrast | None:
    """Between clouds, else between architectures. At most five queries for each, three while noise is cached."""
    best = [group.best for group in value.groups]
    clouds = _contrast({provider_name(row.provider): row for row in reversed(best)})
    if clouds is not None:
        return clouds
    return _contrast({Architecture(row.architecture).label: row for row in reversed(best) if row.architecture})


def _contrast(best_of: dict[str, Submission]) -> Contrast | None:
    """`best_of`: by what the pair differs in, the best of each."""
    if len(best_of) < 2:
        return None
    order = sorted(best_of.items(), key=lambda pair: (-(pair[1].ops_per_usd or 0), pair[1].pk))
    rows = dict(islice(order, MOST_RANKED))
    leader, *others = rank_submissions(rows, OPS_PER_USD)
    for entry in others:
        if entry.verdict == Verdict.WORSE and entry.judgement:
            name = entry.entry.key
            return Contrast(rows[leader.entry.key], rows[name], name, entry.judgement)
    return None


def _is_conclusive(ranking: tuple[RankedEntry, ...]) -> bool:
    return len(ranking) > 1 and all(entry.verdict != Verdict.INCONCLUSIVE for entry in ranking)
