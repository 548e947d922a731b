"""Ranges as inputs: the answer is that of the upper ends, with the cheapest one of the lower ends beside it."""

from dataclasses import dataclass, replace
from decimal import Decimal

from submissions.questions.recommend.form import RecommendForm, RecommendParams
from submissions.questions.recommend.query import Answer, RecommendResult, recommend_result
from submissions.questions.recommend.ranking.estimates import Estimate
from submissions.questions.recommend.ranking.finalists import Kind


@dataclass(frozen=True, slots=True)
class End:
    """`answer` is the cheapest at this end, else the only one; None where nothing measured answers."""

    params: RecommendParams
    answer: Answer | None
    estimate: Estimate | None  # where nothing is measured

    @property
    def usd_per_month(self) -> Decimal | None:
        """Of the measured answer."""
        return self.answer.candidate.usd_per_month if self.answer else None


@dataclass(frozen=True, slots=True)
class InputRange:
    lower: End
    upper: End

    @property
    def saves_usd_per_month(self) -> Decimal | None:
        """What the cheapest cluster of the lower end costs less a month; None where one of them is unknown."""
        lower, upper = self.lower.usd_per_month, self.upper.usd_per_month
        return None if lower is None or upper is None else upper - lower


def result_of(form: RecommendForm, *, may_be_large: bool = False) -> RecommendResult:
    """The answer of the upper ends; of a range the lower ends are a question of their own. Raises BadParameter."""
    result = recommend_result(form.params, may_be_large=may_be_large)
    lower = form.lower_params
    return result if lower is None else replace(result, lower=recommend_result(lower, may_be_large=may_be_large))


def range_of(result: RecommendResult) -> InputRange | None:
    """None without a range."""
    return None if result.lower is None else InputRange(_end(result.lower), _end(result))


def _end(result: RecommendResult) -> End:
    answer = result.answer(Kind.CHEAPEST) or next(iter(result.answers), None)
    estimate = next(iter(result.estimates), None) if answer is None else None
    return End(result.params, answer, estimate)
