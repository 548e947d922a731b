"""Who leads a workload, with ties: GET /api/v1/leaderboard/."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api import documentation as docs
from submissions.api.parameters import known_parameters
from submissions.choices import LatencyKind
from submissions.metrics import LATENCY_P99, METRICS, THROUGHPUT
from submissions.models import Workload
from submissions.questions.leaderboard import answer as leaderboard_answers
from submissions.questions.leaderboard import query as leaderboards
from submissions.questions.workload.grouping import GroupBy


class LeaderboardQuery(serializers.Serializer[Any]):
    workload = serializers.RegexField(r"^[0-9a-f]{16}$", help_text="A workload's fingerprint")
    by = serializers.ChoiceField(GroupBy.pairs(), default=GroupBy.INSTANCE_TYPE)
    metric = serializers.ChoiceField([metric.key for metric in leaderboards.METRICS], default=THROUGHPUT.key)
    latency_kind = serializers.ChoiceField(
        [kind.value for kind in leaderboards.KNOWN_KINDS],
        required=False,
        help_text="Of a p99; without it the known kind that most submissions have",
    )


class Leaderboard(APIView):
    """Groups of one workload by their best submission; those that cannot be told apart share a rank."""

    @docs.leaderboard(LeaderboardQuery)
    def get(self, request: Request) -> Response:
        known_parameters(request, *LeaderboardQuery().fields)
        query = LeaderboardQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        workload = Workload.objects.filter(fingerprint=asked["workload"]).first()
        if workload is None:
            raise serializers.ValidationError({"workload": ["there is no such workload"]})
        metric = METRICS[asked["metric"]]
        counts = leaderboards.count(workload)
        kind = None
        if metric == LATENCY_P99:
            wanted = asked.get("latency_kind")
            kind = LatencyKind(wanted) if wanted else leaderboards.usual_kind(counts)
        board = leaderboards.leaderboard(workload.pk, GroupBy(asked["by"]), metric, kind)
        return Response(leaderboard_answers.answer(workload, board, counts))
