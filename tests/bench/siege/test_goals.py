"""The goals of the siege: met only by answers, not by refusals."""

from bench.siege.goals import address_rows, goals


def address(web_ms, statuses=("200",) * 4, **changes):
    found = {"name": "/value/", "old_web_ms": 157, "old_postgres_ms": None, "has_goal": True, "web_ms": web_ms}
    return {**found, "postgres_ms": 20.0, "statuses": list(statuses), "is_met": web_ms + 20 <= 300, **changes}


def page(median_ms, slowest_ms, **statuses):
    statuses = {status.lstrip("_"): count for status, count in statuses.items()} or {"200": 9}
    return {"n": 9, "median_ms": median_ms, "slowest_ms": slowest_ms, "statuses": statuses}


def verdicts(**found):
    return {work: (shown, met) for work, _, shown, met in goals({"server_errors": {}, **found})}


def test_the_worst_address_decides():
    found = verdicts(addresses=[address(100.0), address(290.0, name="/compare/")])

    assert found["the review's worst addresses, heavy results stored"] == ("0.31 s (/compare/)", "missed")


def test_a_refusal_is_no_cheap_answer():
    name = "the review's worst addresses, heavy results stored"

    assert verdicts(addresses=[address(10.0)])[name] == ("0.03 s (/value/)", "met")
    assert verdicts(addresses=[address(10.0, ["200", "200", "503", "200"])])[name][1] == "missed"


def test_what_is_shown_beside_the_ten_has_no_goal():
    shown = address(900.0, has_goal=False)

    assert verdicts(addresses=[address(10.0), shown])["the review's worst addresses, heavy results stored"][1] == "met"
    assert address_rows([address(100.0), shown])[1:] == [
        ["/value/", "157", "", "100", "20", "200", "met"],
        ["/value/", "157", "", "900", "20", "200", ""],
    ]


def test_a_page_beside_twelve_exports_has_a_median_and_a_limit():
    found = verdicts(
        prices={"page": page(150.0, 2_500.0)},
        **{"prices, limits of a fresh site": {"page": page(150.0, 900.0, _429=1)}},
    )

    work = "12 readers of the price book, {}: a page's {}"
    assert found[work.format("limits as started", "median")] == ("0.15 s", "met")
    assert found[work.format("limits as started", "slowest")] == ("2.50 s", "missed")
    assert found[work.format("limits of a fresh site", "median")] == ("0.15 s", "missed")


def test_memory_locks_the_crowd_and_errors_have_goals():
    found = verdicts(
        memory={"peak_rss_mib": 880.0, "peak_pss_mib": 640.0, "one_growth_mib": 31.0, "comparisons": page(1, 2)},
        lock={"as it is": {"is_locked": True, "pages": page(1, 2)}, "full": {"is_locked": False, "pages": page(1, 2)}},
        crowd={"reads": page(1, 2), "posts": page(1, 2, _201=3, TimeoutError=1)},
        slow={"page": page(30, 40), "quiet": page(20, 30)},
        server_errors={"500 GET /": 2},
    )

    assert found == {
        "slow clients: a page": ("1.50 x", "met"),
        "six heavy comparisons at once: RSS": ("880 MiB (PSS 640)", "met"),
        "one heavy comparison: growth": ("31 MiB", "missed"),
        "lock of a sign-in, 9 pages, memory as it is": ("locked", "met"),
        "lock of a sign-in, 9 pages, memory full": ("open", "missed"),
        "crowd of readers and uploaders: unanswered": ("TimeoutError", "missed"),
        "server errors of all that was asked": ("2 x 500 GET /", "missed"),
    }
