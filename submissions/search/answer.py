"""A search as JSON."""

from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from benchsite.http.pagination import link_to
from submissions.models import Submission
from submissions.records.api.serializers import SubmissionRowSerializer
from submissions.search.found_place import GROUPS, FoundPlace
from submissions.search.intents.reading import read
from submissions.search.places import places
from submissions.search.query import MOST, Matches, in_order_of, matches
from submissions.search.spelling import did_you_mean
from submissions.search.terms import Asked


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    q: str
    matches: Matches
    results: list[Submission]
    places: list[FoundPlace]
    did_you_mean: str | None


def search_answer(asked: Asked, cursor: str) -> SearchAnswer:
    """Raises BadParameter. Places are in the answer without a cursor."""
    reading = read(asked)
    found = matches(reading.words, cursor)
    rows = Submission.objects.published().select_related("workload").defer("document", "notes")
    results = in_order_of(found.ids, rows.filter(pk__in=found.ids)) if found.ids else []
    meant = (not found.count and did_you_mean(asked)) or None
    return SearchAnswer(asked.text, found, results, [] if cursor else places(reading), meant)


class FoundResultSerializer(SubmissionRowSerializer):
    """A result of a list of submissions; of an article that gives only ratios, `throughput_ops_s` is null."""

    class Meta(SubmissionRowSerializer.Meta):
        fields = (*SubmissionRowSerializer.Meta.fields, "relative_throughput", "relative_base")
        read_only_fields = fields


class FoundPlaceSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=list(GROUPS))
    label = serializers.CharField()  # type: ignore[assignment] # a field of that name
    url = serializers.SerializerMethodField()
    note = serializers.CharField(help_text='"" where there is nothing to add')

    def get_url(self, place: FoundPlace) -> str:
        return str(self.context["request"].build_absolute_uri(place.address))


class SearchSerializer(serializers.Serializer[Any]):
    q = serializers.CharField(help_text="The searched text, with white space collapsed")
    count = serializers.IntegerField(source="matches.count", help_text=f"Results on all pages, at most {MOST:,}")
    is_capped = serializers.BooleanField(
        source="matches.is_capped", help_text=f"More results match than the newest {MOST:,}, which are listed"
    )
    next = serializers.SerializerMethodField(help_text="The next page; null: there is none")
    results = FoundResultSerializer(many=True, help_text="The most relevant first")
    places = FoundPlaceSerializer(many=True, help_text="On the first page: pages that answer it, and other matches")
    did_you_mean = serializers.CharField(
        allow_null=True, help_text="If no result matches: the `q` with corrected words; null: no word is misspelt"
    )

    def get_next(self, answer: SearchAnswer) -> str | None:
        return link_to(self.context["request"], answer.matches.next_cursor)
