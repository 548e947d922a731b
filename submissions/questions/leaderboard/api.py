"""Who leads a workload, with ties: GET /api/v1/leaderboard/."""

from submissions.api.answers import AnswerView
from submissions.questions.leaderboard.answer import LeaderboardSerializer
from submissions.questions.leaderboard.form import LeaderboardForm
from submissions.questions.leaderboard.query import LeaderboardResult, leaderboard_result


class LeaderboardView(AnswerView):
    """Each group is represented by its best submission; groups with the same rank are statistically tied."""

    summary = "Rank one workload, with ties"
    form_class = LeaderboardForm
    answer_class = LeaderboardSerializer

    def result(self, form: LeaderboardForm) -> LeaderboardResult:
        return leaderboard_result(form.params)
