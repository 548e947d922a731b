"""Two machine types side by side; the address names them."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.formatting.charts import Preview, shareable
from submissions.machines import sentences
from submissions.machines.catalogue import Catalogue, MachineKey, catalogue, keys_named, nearest
from submissions.machines.compare import compare_machines
from submissions.machines.form import CompareMachinesForm
from submissions.machines.page import FOLDER, unknown
from submissions.models.versions.data_version import Subject
from submissions.pricing.machines.addresses import comparison_address

TEMPLATE = f"{FOLDER}/compare.html"


def preview(params: QueryDict) -> Preview:
    """Raises Http404 for an unknown type."""
    known = catalogue()
    keys = {name: _named(params.get(name, ""), known) for name in ("a", "b")}
    if any(params.get(name) and key is None for name, key in keys.items()):
        raise Http404("There is no such machine type.")
    return _preview(keys["a"], keys["b"])


@shareable("Machine types side by side", preview=preview, parameters=CompareMachinesForm.base_fields)
@from_data(*Subject, parameters=CompareMachinesForm.base_fields)
@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    form = CompareMachinesForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    given = {name: form.cleaned_data[name].strip() for name in ("a", "b")}
    known = catalogue()
    keys = {name: _named(text, known) for name, text in given.items()}
    if any(text and keys[name] is None for name, text in given.items()):
        return unknown(request, _offered(given, keys, known))
    a, b = keys["a"], keys["b"]
    context: dict[str, Any] = {"given": given, "preview": _preview(a, b)}
    if a is None or b is None:
        return render(request, TEMPLATE, context)
    if a == b:
        problem = {"b": ["is the same machine type as the first: choose another one"]}
        return render(request, TEMPLATE, {"problems": problem}, status=400)
    result = compare_machines(known[a], known[b], timezone.now().date(), form.cleaned_data["discount"])
    context |= {
        "result": result,
        "finding": sentences.compared(result),
        "caveats": sentences.comparison_caveats(result),
    }
    return render(request, TEMPLATE, context)


def _named(text: str, known: Catalogue) -> MachineKey | None:
    """Of a name without a provider the first that has it."""
    return next(iter(keys_named(text, known)), None)


def _preview(a: MachineKey | None, b: MachineKey | None) -> Preview:
    if a is None or b is None:
        return Preview("Machine types side by side", "Two machine types: facts, prices and measured results.")
    words = f"{a.name} and {b.name}: size, prices, and results under the same workloads with a verdict on each."
    return Preview(f"{a.name} or {b.name}", words)


def _offered(
    given: dict[str, str], keys: dict[str, MachineKey | None], known: Catalogue
) -> dict[str, list[tuple[MachineKey, str]]]:
    """By unknown name the nearest ones, each with the comparison in which it takes that place."""
    offered = {}
    for name, text in given.items():
        if text and keys[name] is None:
            near = nearest(text, known)
            offered[text] = [(one, comparison_address(**{**given, name: str(one)})) for one in near]
    return offered
