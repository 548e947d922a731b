"""/ops/: how the site is doing, for its operators."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchsite.ops.figures import Figure, Kind, sections

_MINUTE, _HOUR, _DAY = 60, 3600, 24 * 3600
_LONG = 30 * _DAY  # no hours with it
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@login_required
@never_cache
@require_safe
def ops(request: HttpRequest) -> HttpResponse:
    if not request.user.is_staff:
        raise PermissionDenied
    shown = [(section, [(figure, value_words(figure)) for figure in found]) for section, found in sections()]
    alarms = [figure.label for _, found in shown for figure, _ in found if figure.alarm]
    return render(request, "ops/page.html", {"sections": shown, "finding": finding(alarms)})


def finding(alarms: list[str]) -> str:
    if not alarms:
        return "Nothing needs attention."
    return f"Needs attention: {', '.join(f'{label[:1].lower()}{label[1:]}' for label in alarms)}."


def value_words(figure: Figure) -> str:
    """ "3 h 20 min", "12.5 GiB", "$4.20"; "never" for an age that is unknown."""
    value = figure.value
    if value is None:
        return "never" if figure.kind == Kind.AGE else "unknown"
    match figure.kind:
        case Kind.AGE:
            return _duration(value)
        case Kind.BYTES:
            return _size(value)
        case Kind.USD:
            return f"${value:,.2f}"
        case Kind.FLAG:
            return "yes" if value else "no"
    return f"{value:,.0f}"


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h {seconds % _HOUR // _MINUTE:.0f} min"
    if seconds < _LONG:
        return f"{seconds // _DAY:.0f} d {seconds % _DAY // _HOUR:.0f} h"
    return f"{seconds // _DAY:,.0f} d"


def _size(size: float) -> str:
    for unit in _UNITS[:-1]:
        if size < 1024:
            return f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {_UNITS[-1]}"
