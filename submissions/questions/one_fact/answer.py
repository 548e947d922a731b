"""What one fact costs, as JSON and as CSV: a row for each pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from submissions.analysis.comparison.noise import NoiseFrom
from submissions.analysis.comparison.verdicts import Verdict
from submissions.api.answers import AnswerSerializer
from submissions.api.fields import Interval, credits_field
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_field, uploaded_field
from submissions.questions.grid.parameters import FactValue
from submissions.questions.one_fact import sentences
from submissions.questions.one_fact.query import FactPair, OneFactResult, OwnBaselines
from submissions.questions.one_fact.statements import Statement


@dataclass(frozen=True, slots=True)
class OneFactAnswer:
    result: OneFactResult

    @property
    def fact(self) -> str:
        return self.result.parameter.key

    @property
    def baseline(self) -> str | None:
        return self._token(self.result.baseline)

    @property
    def variant(self) -> str | None:
        return self._token(self.result.variant)

    @property
    def values(self) -> list[str]:
        return [self.result.parameter.token(value) for value in self.result.values]

    @property
    def trust_filter(self) -> TrustFilter:
        return self.result.trust_filter

    @property
    def sentence(self) -> str:
        return sentences.finding(self.result)

    @property
    def caveats(self) -> list[str]:
        return [*sentences.caveats(self.result), *sentences.notes(self.result)]

    @property
    def credits(self) -> Sequence[str]:
        return self.result.credits

    @property
    def pairs(self) -> list[dict[str, Any]]:
        return [_pair(self.result, pair) for pair in self.result.pairs]

    @property
    def own_baselines(self) -> list[dict[str, Any]]:
        return [_own(own) for own in self.result.own_baselines]

    @property
    def statements(self) -> tuple[Statement, ...]:
        return self.result.statements

    def _token(self, value: FactValue | None) -> str | None:
        return None if value is None else self.result.parameter.token(value)


def _ids(help_text: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(), help_text=help_text)


class FactPairSerializer(serializers.Serializer[Any]):
    ratio = serializers.FloatField(help_text="Throughput of the variant / of the baseline")
    percent = serializers.FloatField(help_text="The same as a difference; below 0: the variant does less")
    interval = Interval(columns=("ratio_low", "ratio_high"), help_text="95 %, of the ratio")
    verdict = serializers.ChoiceField(choices=Verdict.pairs(), help_text="Of the variant, as on every page")
    noise_from = serializers.ChoiceField(choices=NoiseFrom.pairs())
    runs_needed = serializers.IntegerField(
        allow_null=True, help_text="More runs of each; null: conclusive, or over 100"
    )
    n = serializers.CharField(help_text="How often it was measured: trials, or results, in words")
    baseline_submissions = _ids("All else equal")
    variant_submissions = _ids("All else equal")
    sentence = serializers.CharField()


class OwnBaselinesSerializer(serializers.Serializer[Any]):
    """Relative figures whose baseline has the same value of the fact: they do not show what the fact costs."""

    of = serializers.CharField(help_text="What was compared with its baseline")
    percent_at_baseline = serializers.FloatField(
        help_text="Mean difference from its baseline, where the fact is as in `baseline`"
    )
    percent_at_variant = serializers.FloatField()
    cells = serializers.IntegerField(help_text="Behind each mean")
    n = serializers.CharField(help_text="How often it was measured: trials, or results, in words")
    submissions = _ids("Behind both means")


class StatementSerializer(serializers.Serializer[Any]):
    """What an article states without a figure that could be stored."""

    source = serializers.CharField()  # type: ignore[assignment]
    url = serializers.CharField()
    text = serializers.CharField()


class OneFactSerializer(AnswerSerializer):
    """Pairs of results that differ in one fact alone."""

    csv_rows = "pairs"
    csv_name = "one-fact"

    fact = serializers.CharField()
    baseline = serializers.CharField(allow_null=True, help_text="null: no result states the fact")
    variant = serializers.CharField(allow_null=True, help_text="null: no two results differ in it")
    values = serializers.ListField(child=serializers.CharField(), help_text="All values that results have")
    shelf = trust_filter_field()
    uploaded_left_out = uploaded_field()
    sentence = serializers.CharField()
    caveats = serializers.ListField(child=serializers.CharField())
    credits = credits_field()
    pairs = FactPairSerializer(many=True)
    own_baselines = OwnBaselinesSerializer(many=True)
    statements = StatementSerializer(many=True)


def _pair(result: OneFactResult, pair: FactPair) -> dict[str, Any]:
    judgement = pair.judgement
    return {
        "ratio": judgement.ratio,
        "percent": (judgement.ratio - 1) * 100,
        "interval": judgement.interval,
        "verdict": judgement.verdict.value,
        "noise_from": judgement.noise_from.value,
        "runs_needed": judgement.runs_needed,
        "n": sentences.pair_n(pair),
        "baseline_submissions": [row.submission.pk for row in pair.baseline],
        "variant_submissions": [row.submission.pk for row in pair.variant],
        "sentence": sentences.pair_sentence(result, pair),
    }


def _own(own: OwnBaselines) -> dict[str, Any]:
    return {
        "of": ", ".join(own.headings),
        "percent_at_baseline": own.baseline_percent,
        "percent_at_variant": own.variant_percent,
        "cells": own.cells,
        "n": sentences.own_n(own),
        "submissions": [row.submission.pk for row in own.rows],
    }
