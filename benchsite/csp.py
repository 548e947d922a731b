"""Where browsers report what the content security policy has stopped."""

import json
import logging

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

MOST_BYTES = 16 * 1024
MOST_A_MINUTE = 60  # of all browsers together: a log line each
SHOWN = ("document-uri", "effective-directive", "violated-directive", "blocked-uri", "line-number")

log = logging.getLogger(__name__)


@csrf_exempt
@require_POST
def report(request: HttpRequest) -> HttpResponse:
    """Logs the report; answers the same whatever was sent."""
    if len(request.body) <= MOST_BYTES and _is_among_the_first():
        log.warning("content security policy: %s", _facts(request.body))
    return HttpResponse(status=204)


def _is_among_the_first() -> bool:
    cache.add("csp-reports", 0, timeout=60)
    try:
        return cache.incr("csp-reports") <= MOST_A_MINUTE
    except ValueError:  # it has just expired
        return True


def _facts(body: bytes) -> str:
    try:
        sent = json.loads(body)["csp-report"]
        return ", ".join(f"{name} {str(sent[name])[:200]!r}" for name in SHOWN if name in sent)
    except (ValueError, KeyError, TypeError, RecursionError):
        return "a report that cannot be read"
