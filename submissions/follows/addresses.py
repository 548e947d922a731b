"""The addresses of a follow: its history, its feed, the one that ends its mails; and the secret of its webhook."""

from collections.abc import Mapping

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.crypto import get_random_string, salted_hmac
from django.utils.http import urlencode

from submissions.metrics import LATENCY_P99, METRICS
from submissions.models import Follow, LevelChange

_UNSUBSCRIBE = "submissions.follows.unsubscribe"
_WEBHOOK = "submissions.follows.webhook"
KEY_CHARACTERS = 32  # 190 bits
PANELS = {key: "p99" if metric == LATENCY_P99 else "throughput" for key, metric in METRICS.items()}  # on the page


def on_site(path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def new_key() -> str:
    return get_random_string(KEY_CHARACTERS)


def webhook_secret(follow: Follow) -> str:
    """Derived from the site's key, so that no table and no backup has it."""
    text = f"{follow.pk}:{follow.webhook_nonce}"
    return salted_hmac(_WEBHOOK, text, algorithm="sha256").hexdigest()


def follows_address() -> str:
    return reverse("submissions:follows")


def history_address(follow: Follow) -> str:
    state = {"workload": follow.workload.fingerprint, "cluster": follow.cluster}
    return history_with({name: value for name, value in state.items() if value})


def history_with(state: Mapping[str, str]) -> str:
    return f"{reverse('submissions:history')}?{urlencode(state)}"


def feed_address(follow: Follow) -> str:
    return reverse("submissions:follow_feed", args=[follow.feed_key])


def change_in_history(change: LevelChange) -> str:
    """With the row of the change marked."""
    state = {"workload": change.workload.fingerprint, "cluster": change.cluster}
    if change.latency_kind:
        state["latency_kind"] = change.latency_kind
    return f"{history_with(state)}#{PANELS[change.metric]}-{change.after_id}"


def unsubscribe_address(follow: Follow) -> str:
    return reverse("submissions:unsubscribe", args=[signing.dumps(follow.pk, salt=_UNSUBSCRIBE)])


def followed_by(token: str) -> int | None:
    """The number of the follow whose mails this token ends; None for a token that this site did not make."""
    try:
        number: int = signing.loads(token, salt=_UNSUBSCRIBE)
    except signing.BadSignature:
        return None
    return number
