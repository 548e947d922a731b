"""The sentences of a grid: what differs, how much is noise, what is excluded."""

from dataclasses import replace

import pytest

from submissions.analysis.comparison.grid import Measurement, Sides, grid
from submissions.choices import LatencyKind
from submissions.questions.boards.counts import Counts
from submissions.questions.boards.reasons import Reason
from submissions.questions.grid.families import Family
from submissions.questions.grid.parameters import DEFAULT_LAYOUTS
from submissions.questions.grid.query import GridChoice, GridResult
from submissions.questions.grid.sentences import (
    caveats,
    counts_words,
    finding,
    heading,
    not_shown,
    notes,
    signed_percent,
)

LAYOUT = DEFAULT_LAYOUTS["jdk"]
FAMILY = Family("0" * 16, "writes", frozenset(), frozenset(), {}, {}, submissions=4, unplaced=0)
CHOICE = GridChoice(LAYOUT, FAMILY, baseline=("oracle", "8"), variant=("openjdk", "8"))


def result(cells, *, unknown=(), unplaced=0, **facts):
    """`cells`: (row, column) -> (baseline rates, variant rates) of one submission each."""
    filled = grid(
        {
            (((row,),), (column,)): Sides(
                [Measurement(1, baseline, facts=("a", None))], [Measurement(2, variant, facts=("b", "x"))]
            )
            for (row, column), (baseline, variant) in cells.items()
        }
    )
    return GridResult(
        choice=replace(CHOICE, unknown=unknown, family=replace(FAMILY, unplaced=unplaced)),
        grid=filled,
        rows=tuple(filled.row_means),
        columns=tuple(filled.column_means),
        fact_names=("region", "CPU model"),
        **{"relative_bases": 0, "historical": 0, "used": 2, "counts": NONE_EXCLUDED, "is_cut": False, **facts},
    )


def counts(flagged):
    return Counts(2, LatencyKind.UNKNOWN, {}, {Reason.FLAGGED: flagged, Reason.THROTTLED: 0, Reason.UNRANKED: 0})


NONE_EXCLUDED = counts(0)
TWO_ROWS = {("m1", "write"): ((100.0,), (110.0,)), ("m2", "write"): ((100.0,), (80.0,))}


def test_the_heading_names_both_sides_and_the_parameters():
    assert heading(CHOICE) == "JDK: openjdk 8 vs. oracle 8, by instance type and operation mix"


def test_the_finding_has_the_extremes_and_the_row_means():
    assert finding(result(TWO_ROWS)) == (
        "JDK: openjdk 8 vs. oracle 8. Throughput differences range from −20.0 % to +10.0 % over 2 cells; "
        "row means range from −20.0 % (m2) to +10.0 % (m1)."
    )


def test_the_finding_of_one_row_has_its_mean():
    cells = {("m1", "write"): ((100.0,), (110.0,)), ("m1", "read"): ((100.0,), (130.0,))}

    assert finding(result(cells)).endswith("+10.0 % to +30.0 % over 2 cells; their mean is +20.0 %.")


def test_the_finding_of_one_cell_and_of_none():
    one = finding(result({("m1", "write"): ((100.0,), (110.0,))}))

    assert one.endswith("The throughput difference is +10.0 % in the only cell that has both.")
    assert finding(result({})).endswith("No cell of this grid has results with both.")


def test_caveats_state_noise_sources_and_differences():
    cells = {**TWO_ROWS, ("m3", "write"): ((100.0, 101.0), (90.0, 91.0))}

    assert caveats(result(cells, relative_bases=1, historical=1)) == [
        "Beyond the noise between runs: 1 of 3 cells. The usual noise of clouds, 6 % from run to run, is assumed.",
        "The figures are relative: each cell uses the baseline of its own source, not operations per second.",
        "1 of 2 results comes from an article, without a raw log.",
        "The two sides of a cell also differ in region (3 of 3 cells).",
        "Not stated, and therefore possibly different: CPU model.",
    ]
    assert caveats(result({})) == []


def test_notes_name_what_is_missing_and_excluded():
    assert notes(result(TWO_ROWS, unknown=("zulu 9",), unplaced=1_200, counts=counts(3), is_cut=True)) == [
        "No result of these workloads has the JDK “zulu 9”, so another one is shown.",
        "Excluded results: 3 with a data-quality flag and 1,200 without a stated value for a fact of this grid.",
        "Only the newest 1,000 results are used.",
    ]
    assert notes(result(TWO_ROWS)) == []


def test_n_counts_results_where_a_side_has_several():
    cell = result(TWO_ROWS).cells[0]

    assert counts_words(cell) == "1 trial each"
    assert counts_words(replace(cell, n=(1, 4), counts_trials=False)) == "4 vs. 1 results"
    assert counts_words(replace(cell, n=(10, 10), is_averaged=True)) == "10 trials each, averaged by the source"
    assert counts_words(replace(cell, n=(3, 10), is_averaged=True)) == "10 vs. 3 trials, averaged by the source"


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (0, 0, ""),
        (1, 0, "The CSV and JSON have 1 row more. The means include them."),
        (4, 2, "The CSV and JSON have 4 rows and 2 columns more. The means include them."),
    ],
)
def test_what_the_table_does_not_show_is_stated(rows, columns, words):
    assert not_shown(rows, columns) == words


@pytest.mark.parametrize(
    ("percent", "words"), [(60.0, "+60.0 %"), (-8.24, "−8.2 %"), (0.04, "±0.0 %"), (1234.56, "+1,234.6 %")]
)
def test_percents_have_a_sign_and_one_decimal(percent, words):
    assert signed_percent(percent) == words
