"""GET /api/v1/search/."""

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.search.answer import SearchAnswer, SearchSerializer, search_answer
from submissions.search.form import SearchForm


@api_from_data(*Subject, parameters=SearchForm.base_fields)
class SearchView(AnswerView):
    """Results by the words of their title, source, notes and facts, or by their number, and other pages that match.

    All words must be found, each at the beginning of a word: `i4i` finds i4i.4xlarge.
    Words of a question need not be found ("cheapest cassandra"); of "i4i vs i3" one side is enough.
    Without `q` nothing is found.
    """

    summary = "Search"
    form_class = SearchForm
    answer_class = SearchSerializer

    def result(self, form: SearchForm) -> SearchAnswer:
        return search_answer(form.cleaned_data["q"], form.cleaned_data["cursor"])
