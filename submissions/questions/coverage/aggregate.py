"""How many results of a workload each machine family has, and which is the newest: by provider, family and trust."""

import json
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTextTransform

from submissions.aggregates.kinds import Kind, State
from submissions.aggregates.profile import IS_UNRANKED_COLUMN
from submissions.aggregates.trust_filter import is_rankable
from submissions.choices import PROVEN
from submissions.models import Submission, SubmissionQuerySet
from submissions.questions.recommend.work import work_of


class CoverageKind(Kind):
    """State: of what boards rank by provider and family, and by trust, how many and the newest measurement.

    {"service": "cassandra", "work": "writes", "proven": 7, "cells": {'["aws", "i4i"]': {"log_verified": [7, "2026-"]}}}
    """

    name = "coverage"
    code = "1"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        published = Submission.objects.using(submissions.db).with_rate() & submissions
        return (
            published.order_by()
            .annotate(
                is_unranked=IS_UNRANKED_COLUMN,
                operations_mix=KeyTextTransform("operations", "workload__canonical"),
            )
            .values_list(
                *("trust", "flags", "is_unranked", "workload__service", "operations_mix"),
                *("provider", "machine_family", "measured_at"),
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        trust, flags, is_unranked, service, mix, provider, family, measured_at = row
        state["service"], state["work"] = service, work_of(json.loads(mix or "null")) or ""
        if not is_rankable(flags, is_unranked=is_unranked):
            return
        state["proven"] = state.get("proven", 0) + (trust in PROVEN)
        by_trust = state.setdefault("cells", {}).setdefault(json.dumps([provider, family]), {})
        n, newest = by_trust.get(trust, (0, ""))
        # from the database: all are UTC, and sorted as texts
        by_trust[trust] = [n + 1, max(newest, measured_at.isoformat() if measured_at else "")]

    def labels(self, state: State) -> list[Any]:
        """The database, the work, whether there are ranked results with a raw log, and the cells."""
        cells = [[*json.loads(key), by_trust] for key, by_trust in sorted(state.get("cells", {}).items())]
        return [state.get("service", ""), state.get("work", ""), bool(state.get("proven")), cells]


COVERAGE = CoverageKind()
