"""The month of candidates: for the ranking what stands beside nodes and disks, for what is shown the whole bill."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal

from submissions.choices import PricingModel
from submissions.models import Submission, Workload
from submissions.pricing.book import book as price_book
from submissions.pricing.book.quotes import PriceBook
from submissions.pricing.clusters import cost_at, price_keys
from submissions.pricing.cost import SystemCost, exact, total_of
from submissions.pricing.groups import Place
from submissions.pricing.month import rates
from submissions.pricing.month.kinds import Kind
from submissions.pricing.month.month import BYTES_PER_GIB, Load, MonthItem, extras, month_of
from submissions.pricing.reprice import Resized, as_measured, costs_of_resized, resized
from submissions.questions.recommend.candidates import Candidate, Known
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.month.load import Canonical, rows_of
from submissions.questions.recommend.month.result import AnswerMonth, ZonesFrom
from submissions.questions.recommend.ranking.prices import Size, cluster_of_size, is_managed, machine_count

USUAL_ZONES = 3


@dataclass(frozen=True, slots=True)
class Sized:
    """A candidate, as it was measured or with another number of nodes."""

    candidate: Candidate
    nodes: int
    row: Submission | None = None  # the measured one; of a ranking none is read

    @property
    def size(self) -> Size:
        return Size(self.candidate.key, self.nodes)


@dataclass(frozen=True, slots=True)
class Bills:
    params: RecommendParams
    known: Mapping[int, Known]  # by workload
    canonicals: Mapping[int, Canonical]
    book: PriceBook

    def extras_usd(self, one: Candidate, nodes: int | None = None) -> Decimal | None:
        """A month, in the zones that are asked for."""
        return total_of(self._extras(Sized(one, nodes or one.nodes), self.params.zones or 1))[0]

    def month(self, one: Sized, cost: SystemCost) -> AnswerMonth:
        zones, zones_from = self._zones(one)
        month = month_of(cost, self._load(one, zones), self._place(one.candidate), self.book)
        if self.params.zones is not None or zones >= USUAL_ZONES or one.nodes < USUAL_ZONES:
            return AnswerMonth(month, zones_from)
        now = month.usd_of(Kind.ZONE_TRAFFIC)
        [spread] = [item for item in self._extras(one, USUAL_ZONES) if item.kind == Kind.ZONE_TRAFFIC]
        more = None if now is None or spread.usd is None else spread.usd - now
        return AnswerMonth(month, zones_from, more, spread.missing)

    def _extras(self, one: Sized, zones: int) -> list[MonthItem]:
        return extras(self._load(one, zones), self._place(one.candidate), self.book)

    def _zones(self, one: Sized) -> tuple[int, ZonesFrom]:
        if self.params.zones is not None:
            return self.params.zones, ZonesFrom.REQUESTED
        measured = len(one.row.zones) if one.row else 0
        return (measured, ZonesFrom.MEASURED) if measured else (1, ZonesFrom.ASSUMED)

    def _load(self, one: Sized, zones: int) -> Load:
        candidate, params = one.candidate, self.params
        known = self.known[candidate.workload_id]
        data_gib = params.data_gib or candidate.point.data_gib
        return Load(
            zones,
            rows_of(
                self.canonicals[candidate.workload_id],
                ops_s=params.target_ops_s or candidate.point.rate,
                copies=known.copies(
                    one.nodes, is_managed=is_managed(candidate.key), requested=params.replication_factor
                ),
                value_bytes=params.value_bytes,
            ),
            machine_count(one.size),
            data_bytes=None if data_gib is None else exact(data_gib) * BYTES_PER_GIB,
            has_backup=params.backup,
            is_spot=(params.terms.basis or candidate.key.bought) == PricingModel.SPOT,
        )

    def _place(self, one: Candidate) -> Place:
        terms, key = self.params.terms, one.key
        return Place(key.provider, key.region, terms.day or _measured_on(one), terms.discount_of(key.provider))


def with_extras(
    candidates: Sequence[Candidate], known: Iterable[Known], params: RecommendParams
) -> tuple[list[Candidate], Bills | None]:
    """Ready to be ranked by the whole month; as they are, without a query, where no number of zones is asked for."""
    if params.zones is None:
        return list(candidates), None
    ids = {one.workload_id for one in candidates}
    canonicals = dict(Workload.objects.filter(pk__in=ids).order_by().values_list("pk", "canonical"))
    places = {(one.key.provider, one.key.region) for one in candidates}
    book = price_book.load({key for provider, region in places for key in rates.keys_of(provider, region)})
    bills = Bills(params, {one.workload_id: one for one in known}, canonicals, book)
    return [replace(one, extras_usd=bills.extras_usd(one)) for one in candidates], bills


def months_of(
    shown: Collection[Sized], known: Iterable[Known], params: RecommendParams
) -> dict[tuple[Candidate, int], AnswerMonth]:
    """By candidate and number of nodes; `row` is that of each, or of the size that an estimate is made from.

    One query, at the prices of the measurement two.
    """
    ordered = [one for one in shown if one.row is not None]
    by_rows = params.terms.day is None
    keys = {key for one in ordered for key in rates.keys_of(one.candidate.key.provider, one.candidate.key.region)}
    if not by_rows:
        keys |= {key for one in ordered for key in price_keys(cluster_of_size(one.size))}
    book = price_book.load(keys)
    canonicals = {one.candidate.workload_id: one.row.workload.canonical for one in ordered if one.row}
    bills = Bills(params, {one.workload_id: one for one in known}, canonicals, book)
    costs = (
        costs_of_resized([_resized(one) for one in ordered], params.terms)
        if by_rows
        else [cost_at(cluster_of_size(one.size), params.terms, book) for one in ordered]
    )
    return {
        (one.candidate, one.nodes): bills.month(one, cost if _has_price(one) else _unpriced(one))
        for one, cost in zip(ordered, costs, strict=True)
    }


def _resized(one: Sized) -> Resized:
    assert one.row is not None  # noqa: S101 - of what is shown
    return as_measured(one.row) if one.nodes == one.candidate.nodes else resized(one.row, one.nodes)


def _has_price(one: Sized) -> bool:
    """An estimate is shown with its price only."""
    return one.nodes != one.candidate.nodes or one.candidate.hourly_usd is not None


def _unpriced(one: Sized) -> SystemCost:
    """As the ranking has it: a price that was stated under another pricing model is none."""
    return SystemCost((), None, one.candidate.price.missing or "No price under this pricing model is known.")


def _measured_on(one: Candidate) -> date | None:
    measured = one.point.measured
    return datetime.fromtimestamp(measured, UTC).date() if measured else None
