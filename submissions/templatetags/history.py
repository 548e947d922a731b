"""The way from a submission to the history of its workload on its cluster."""

from django import template
from django.urls import reverse

from submissions.models import Submission
from submissions.questions.history import query as history_queries

register = template.Library()


@register.simple_tag
def history_address(submission: Submission) -> str:
    """Empty where there is nothing before or after it; one query."""
    if submission.retracted_at or not history_queries.has_history(submission):
        return ""
    return f"{reverse('submissions:history')}?like={submission.pk}"
