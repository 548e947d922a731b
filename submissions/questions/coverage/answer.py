"""The coverage map as JSON and as CSV."""

from typing import Any

from rest_framework import serializers

from submissions.api.answers import AnswerSerializer
from submissions.api.fields import Money
from submissions.questions.boards.trust_filter import trust_filter_field, uploaded_field
from submissions.questions.coverage.query import By, Cell, CoverageResult
from submissions.questions.coverage.runs import CellRun
from submissions.questions.coverage.sentences import caveats, finding
from submissions.questions.recommend.work import Work


def _work_field(source: str) -> serializers.ChoiceField:
    words = "Reads as a share of all operations: at least 80 %, between, at most 20 %; null: not known"
    return serializers.ChoiceField(source=source, choices=Work.pairs(), allow_null=True, help_text=words)


def _family_field(source: str | None = None) -> serializers.CharField:
    words = "null: `by` is provider, or the name of the machine type has no family"
    return serializers.CharField(source=source, allow_null=True, help_text=words)


class CellRunSerializer(serializers.Serializer[CellRun]):
    cluster = serializers.CharField(help_text="Database nodes and load client of the plan")
    region = serializers.CharField()
    expected_usd = Money(help_text="At the prices of today: machines, disks and addresses, set-up included")
    worst_case_usd = Money(help_text="If every machine runs until the deadline of the plan")
    price_date = serializers.DateField(allow_null=True, help_text="Since when the oldest price used is valid")
    url = serializers.SerializerMethodField(help_text="The form of a run, filled in with the plan")

    def get_url(self, run: CellRun) -> str:
        return str(self.context["request"].build_absolute_uri(run.address))


class CoverageRowSerializer(serializers.Serializer[Any]):
    """A Row."""

    service = serializers.CharField(help_text="The database")
    work = _work_field("work_or_none")


class CoverageColumnSerializer(serializers.Serializer[Any]):
    """A Column."""

    provider = serializers.CharField()
    machine_family = _family_field()


class CoverageCellSerializer(serializers.Serializer[Cell]):
    service = serializers.CharField(source="row.service", help_text="The database")
    work = _work_field("row.work_or_none")
    provider = serializers.CharField(source="column.provider")
    machine_family = _family_field("column.machine_family")
    results = serializers.IntegerField(help_text="That boards rank at this trust level; 0: an empty cell")
    machine_families = serializers.IntegerField(help_text="Of the provider, with results")
    newest = serializers.DateTimeField(
        allow_null=True, help_text="When the newest of them was measured; null: no result, or none is dated"
    )
    run = CellRunSerializer(
        allow_null=True, help_text="A run on this site that would fill the empty cell; null: there are results"
    )


class CoverageSerializer(AnswerSerializer):
    """A CoverageResult."""

    csv_rows = "cells"
    csv_name = "coverage"

    by = serializers.ChoiceField(source="params.by", choices=By.pairs(), help_text="What the columns are")
    sentence = serializers.SerializerMethodField()
    caveats = serializers.SerializerMethodField()
    shelf = trust_filter_field()
    uploaded = uploaded_field()
    results = serializers.IntegerField(help_text="Of all cells")
    rows = CoverageRowSerializer(many=True, help_text="Databases with most results first")
    columns = CoverageColumnSerializer(many=True, help_text="Those with results in most rows first")
    cells = CoverageCellSerializer(
        source="listed",
        many=True,
        help_text="Cells with results, and empty ones that a run on this site would fill. Any other pair of `rows` and "
        "`columns` has no result, and no run is possible here: upload one",
    )

    def get_sentence(self, result: CoverageResult) -> str:
        return finding(result)

    def get_caveats(self, result: CoverageResult) -> list[str]:
        return caveats(result)
