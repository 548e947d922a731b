"""What a chart's reader must know is said in whole sentences, and nothing where there is nothing."""

from datetime import date
from decimal import Decimal

from submissions.choices import Trust
from submissions.models import Submission
from submissions.records.caveats import of_bursting, of_clients, of_rows


def row(day=None, *, trials=3, trust=Trust.UPLOADED, stated=False, averaged_over=None):
    return Submission(
        averaged_over=averaged_over,
        price_date=day,
        hourly_usd=day and Decimal(1),
        provider="aws",
        trials_count=trials,
        trust=trust,
        is_price_stated=stated,
    )


def test_prices_of_several_days_are_a_range():
    assert of_rows([row(date(2015, 6, 1)), row(date(2014, 3, 1)), row(None)]) == [
        "AWS list prices, unchanged since 2014-03-01 (oldest) to 2015-06-01 (newest), "
        "seen 2014-03-01 (oldest) to 2015-06-01 (newest)."
    ]


def test_how_many_were_measured_once_stated_a_cost_or_come_from_an_article():
    rows = [
        row(date(2015, 6, 1), trials=1, trust=Trust.HISTORICAL, stated=True),
        row(date(2015, 6, 1), trials=1),
        row(date(2015, 6, 1)),
    ]

    assert of_rows(rows) == [
        "AWS list price of 2015-06-01.",
        "1 of 3 results has a cost that the submitter stated.",
        "2 of 3 results were measured once: how much the rate varies is unknown.",
        "1 of 3 results comes from an article, without a raw log.",
    ]


def test_all_and_only_one_are_said_so():
    historical = row(trust=Trust.HISTORICAL)

    assert of_rows([historical, historical]) == ["Both results come from articles, without a raw log."]
    assert of_rows([row(trials=1)]) == ["The result was measured once: how much the rate varies is unknown."]


def test_the_mean_of_a_source_was_not_measured_once():
    assert of_rows([row(trials=1, averaged_over=10), row()]) == [
        "1 of 2 results is the mean of trials that the source averaged and does not give."
    ]


def test_nothing_is_said_of_nothing():
    assert of_rows([]) == []
    assert of_rows([row()]) == []


def test_clients_that_took_cpu_time_from_the_database_are_named():
    def placed(placement):
        return Submission(client_placement=placement)

    assert (
        of_clients([placed("on_database")]) == "Load clients ran on the database's machine, and took CPU time from it."
    )
    assert of_clients([placed("on_database"), placed(None)]) == (
        "Load clients ran on the database's machine in 1 of 2 results."
    )
    assert of_clients([placed("separate"), placed(None)]) == ""
    assert of_clients([]) == ""


def test_burstable_machine_types_are_named_once_each_and_three_at_most():
    def on(provider, instance_type):
        return Submission(provider=provider, instance_type=instance_type)

    assert of_bursting([on("aws", "t4g.nano"), on("aws", "t4g.nano"), on("aws", "m7g.large")]) == (
        "Burstable machine types ran on CPU credits, and do less under a long load: t4g.nano."
    )
    types = [
        on("aws", "t3.nano"),
        on("azure", "Standard_B1s"),
        on("gce", "e2-medium"),
        on("azure", "Standard_B2ats_v2"),
    ]
    assert of_bursting(types).endswith(": t3.nano, Standard_B1s, e2-medium and 1 more.")
    assert of_bursting([on("aws", "m7g.large"), on("gce", "e2-standard-2"), on("azure", "Standard_D2s_v5")]) == ""
