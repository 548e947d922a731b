"""What the operator has set and pages say: whom to write to, who may sign up."""

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

from submissions.licenses import UPLOADS, license_of

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


@register.filter
def license_link(text: str) -> SafeString:
    """The name of a licence, linked to its text where that is known."""
    known = license_of(text)
    if known is None:
        return format_html("{}", text)
    return format_html('<a rel="license" href="{}">{}</a>', known.url, known.name)
