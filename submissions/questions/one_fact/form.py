"""Which fact is compared, between which two values, at which trust levels."""

from django import forms

from submissions import facts
from submissions.api.forms import QuestionForm
from submissions.questions.boards.trust_filter import trust_field
from submissions.questions.grid.parameters import AXES

# Another provider always has other regions and instance types, other memory other machines: they never differ alone.
_NOT_ALONE = (facts.PROVIDER.key, facts.DATA_FIT.key)
COMPARED = {key: parameter for key, parameter in AXES.items() if key not in _NOT_ALONE}
FACT_CHOICES = [(key, parameter.fact.label) for key, parameter in COMPARED.items()]


class OneFactForm(QuestionForm):
    """Without values the two that the most pairs of results have: of those with a raw log, where there are any."""

    fact = forms.ChoiceField(
        required=False,
        choices=FACT_CHOICES,
        help_text=(
            "The only fact in which the results of a pair differ; without it the replication factor, or the mix of "
            "operations where only that has pairs of results with a raw log"
        ),
    )
    baseline = forms.CharField(required=False, max_length=200, help_text="Its value on the baseline side, such as 1")
    variant = forms.CharField(required=False, max_length=200, help_text="Its value on the variant side, such as 3")
    workload = forms.CharField(
        required=False, max_length=16, help_text="Fingerprint: only pairs with a result of this workload"
    )
    trust = trust_field()
