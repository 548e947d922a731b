"""The content security policy of answers, and where browsers report what it has stopped."""

import json
import logging

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

MOST_BYTES = 16 * 1024
MOST_A_MINUTE = 60  # of all browsers together: a log line each
SHOWN = ("document-uri", "effective-directive", "violated-directive", "blocked-uri", "line-number")

log = logging.getLogger(__name__)


class PolicyMiddleware(CSPMiddleware):
    """Builds the policy of the settings once: most answers have that, and building it takes as long as a 304."""

    _usual: tuple[object, str] = (None, "")  # the settings, and what was built of them

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        has_own = any(name.startswith("_csp_") for name in (*vars(response), *vars(request)))
        if has_own or settings.DEBUG or response.has_header(HEADER):
            return super().process_response(request, response)
        response[HEADER] = self._usual_policy()
        return response

    def _usual_policy(self) -> str:
        policy = settings.CONTENT_SECURITY_POLICY
        if self._usual[0] is not policy:
            self._usual = policy, build_policy()
        return self._usual[1]


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
