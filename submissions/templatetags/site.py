"""What pages say of the site itself: whom to write to, who may sign up, how far its packs are loaded."""

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

from submissions.licenses import UPLOADS, license_of
from submissions.packs.slices import unfinished

register = template.Library()


@register.simple_tag
def contact_email() -> str:
    """The operators' address; empty where the setting is."""
    return settings.CONTACT_EMAIL or ""


@register.simple_tag
def sign_up_mode() -> str:
    """open, invite or closed."""
    mode: str = settings.SIGNUP
    return mode


@register.simple_tag
def upload_license() -> SafeString:
    """What an uploader agrees to."""
    return license_link(UPLOADS.spdx)


@register.inclusion_tag("components/packs_progress.html")
def packs_progress() -> dict[str, object]:
    """How far the packs that come with the site are loaded."""
    return {"progress": unfinished()}


@register.filter
def license_link(text: str) -> SafeString:
    """The name of a licence, linked to its text where that is known."""
    known = license_of(text)
    if known is None:
        return format_html("{}", text)
    return format_html('<a rel="license" href="{}">{}</a>', known.url, known.name)
