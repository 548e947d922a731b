"""The chart of a series: a row for each cell, whatever its facts are called."""

import pytest

from runners.series.chart import runs_figure
from runners.series.readers import visible_cells
from runners.series.report import report_of
from tests.runners.series.orders import drive_series, stored

pytestmark = pytest.mark.django_db


def test_rows_of_cells_whose_words_begin_alike_show_every_fact(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    collectors = {"field": "settings.jvm_options", "values": [None, ["-XX:-UseG1GC", "-XX:+UseParallelGC"]]}
    sizes = {"field": "workload.value_bytes", "values": [34, 400]}
    series = drive_series(stored(vary=[collectors, sizes], repetitions=1))

    figure = runs_figure(report_of(series, visible_cells(series, series.owner)))

    assert list(dict.fromkeys(figure["data"][0]["y"])) == [
        "1: default, 34",
        "2: default, 400",
        "3: -XX:-UseG1GC -…, 34",
        "4: -XX:-UseG1GC -…, 400",
    ]
