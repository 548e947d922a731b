"""What a p99 costs, as JSON, as the rows of a CSV, and its schema."""

from typing import Any

from rest_framework import serializers

from submissions.api.currency import PricedAnswerSerializer
from submissions.questions.recommend.answer import RecommendedSerializer
from submissions.questions.recommend.grid import sentences
from submissions.questions.recommend.grid.query import Cell, Gap, GridResult
from submissions.questions.recommend.work import Work


class CostOfP99Serializer(serializers.Serializer[Any]):
    service = serializers.CharField(source="params.service")
    work = serializers.ChoiceField(
        source="params.work", choices=Work.pairs(), allow_null=True, help_text="null: any work of this database"
    )
    target_ops_s = serializers.FloatField(source="params.target_ops_s")
    max_p99_ms = serializers.FloatField(source="params.max_p99_ms", allow_null=True, help_text="null: no limit")
    gap = serializers.ChoiceField(choices=Gap.pairs(), allow_null=True, help_text="Why there is no answer")
    gap_words = serializers.SerializerMethodField()
    answer = RecommendedSerializer(source="entry", allow_null=True, help_text="The cheapest; null: see gap")

    def get_gap_words(self, cell: Cell) -> str:
        return sentences.gap_words(cell)


class RecommendGridSerializer(PricedAnswerSerializer):
    """Without a question: of each database, and of each kind of its work, the cheapest cluster at each rate."""

    csv_rows = "grid"
    csv_name = "what-a-p99-costs"

    sentence = serializers.SerializerMethodField()
    max_p99_ms = serializers.FloatField(source="params.max_p99_ms", allow_null=True, help_text="null: no limit")
    basis = serializers.CharField(source="params.terms.basis")
    prices_on = serializers.DateField(
        source="params.terms.day", allow_null=True, help_text="null: those of each measurement date"
    )
    grid = CostOfP99Serializer(source="cells", many=True)

    def get_sentence(self, result: GridResult) -> str:
        return sentences.finding(result)
