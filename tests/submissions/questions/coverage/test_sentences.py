"""The words of the coverage map."""

from decimal import Decimal

import pytest

from submissions.choices import LatencyKind
from submissions.questions.boards.counts import Counts
from submissions.questions.boards.trust_filter import TrustFilter
from submissions.questions.coverage import sentences
from submissions.questions.coverage.query import By, Cell, Column, CoverageParams, CoverageResult, Row
from submissions.questions.coverage.runs import CellRun, Runs
from submissions.questions.recommend.work import Work

WRITES, UNKNOWN = Row("cassandra", "writes"), Row("redis", "")
AWS, OVH = Column("aws"), Column("ovh")
RUN = CellRun("3× m5d.2xlarge", "us-east-1", Decimal("0.4464"), Decimal("2.6"), None, "/runs/new/")


def answer(cells, by=By.PROVIDER):
    runs = Runs(frozenset({("cassandra", Work.WRITES)}), {"aws": frozenset({"m5d"})}, {"aws": "m5d"})
    return CoverageResult(
        params=CoverageParams(by=by),
        rows=(WRITES, UNKNOWN),
        columns=(AWS, OVH),
        cells={(cell.row, cell.column): cell for cell in cells},
        counts=Counts(0, LatencyKind.UNKNOWN, {}),
        trust_filter=TrustFilter(None, is_historical=False),
        services=(),
        providers=(),
        runs=runs,
    )


def test_the_finding_has_counts_and_gaps():
    measured, gap = Cell(UNKNOWN, AWS, results=1_200), Cell(WRITES, AWS, run=RUN)

    assert sentences.finding(answer([measured, gap])) == (
        "1,200 results in 1 of 4 combinations of database, work and provider. "
        "A run on this site can fill 1 gap, from about $0.45."
    )
    assert sentences.finding(answer([measured], By.MACHINE_FAMILY)) == (
        "1,200 results in 1 of 4 combinations of database, work and machine family."
    )


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        (WRITES, OVH, "This site starts no runs on OVHcloud."),
        (UNKNOWN, AWS, "Runs on this site do not support Redis, work unknown."),
        (WRITES, AWS, "No machine type of this family has a known price within the limit of a run on this site."),
    ],
)
def test_a_gap_without_a_run_has_its_reason(row, column, words):
    assert sentences.no_run_sentence(answer([]), Cell(row, column)) == words


def test_a_family_has_its_provider_before_it():
    assert sentences.column_name(Column("gce", "n2-standard"), By.MACHINE_FAMILY) == "Google Cloud n2-standard"
    assert sentences.column_name(Column("on-premises"), By.MACHINE_FAMILY) == "On-premises other types"
    assert sentences.column_name(Column("gce"), By.PROVIDER) == "Google Cloud"
