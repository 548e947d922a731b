"""How a submission is cited: a BibTeX entry, whatever its title holds."""

import re

from submissions.models import Submission

# What TeX gives a meaning to; braces and backslashes are left out, they could end the field.
_SPECIAL = re.compile(r"([%&#_$])")
_STRUCTURE = re.compile(r"[{}\\~^\x00-\x1f]+")


def bibtex(submission: Submission, address: str) -> str:
    """A @misc entry; `address` is the submission's permalink with its host."""
    year = (submission.measured_at or submission.created_at).year
    fields = {
        "title": _escaped(submission.title),
        "author": _escaped(submission.submitted_by.get_username()) if submission.submitted_by else "",
        "year": str(year),
        "howpublished": f"\\url{{{address}}}",
        "note": f"Benchsite submission {submission.pk}, content {submission.content_hash[:16]}",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{benchsite-{submission.pk},", *lines, "}"])


def _escaped(text: str) -> str:
    plain = " ".join(_STRUCTURE.sub(" ", text).split())
    return _SPECIAL.sub(r"\\\1", plain)
