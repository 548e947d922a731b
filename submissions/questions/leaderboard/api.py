"""Who leads a workload, with ties: GET /api/v1/leaderboard/."""

from django.utils import timezone
from rest_framework.request import Request

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.leaderboard.answer import LeaderboardSerializer
from submissions.questions.leaderboard.form import LeaderboardForm
from submissions.questions.leaderboard.query import LeaderboardResult, leaderboard_of, leaderboard_result, workload_of
from submissions.records.cache import cached_of_workload


@api_from_data(*Subject, parameters=LeaderboardForm.base_fields)
class LeaderboardView(AnswerView):
    """Each group is represented by its best submission; groups with the same rank are statistically tied."""

    summary = "Rank one workload, with ties"
    form_class = LeaderboardForm
    answer_class = LeaderboardSerializer

    def json(self, request: Request, form: LeaderboardForm) -> bytes:
        """Cached as it is sent, until a result of the workload comes or changes."""
        workload = workload_of(form.params)
        key = ("leaderboard", workload.fingerprint, workload.title, request.build_absolute_uri(), timezone.now().date())
        return cached_of_workload(
            workload.pk,
            key,
            lambda: self.json_of(request, form, leaderboard_of(workload, form.params)),
            subjects=[Subject.PRICES],
            may_be_old=False,
        )

    def result(self, form: LeaderboardForm) -> LeaderboardResult:
        return leaderboard_result(form.params)
