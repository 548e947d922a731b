"""How a submission, or a view with a short link, is cited: as text, and as a BibTeX entry whatever its title holds."""

import re

from submissions.models import ShortLink, Submission

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
    return _entry(f"benchsite-{submission.pk}", fields)


def citation(submission: Submission, address: str) -> str:
    """A line of plain text: 'ada (2026). "Title". Benchsite, result 72. https://... (content 0123456789abcdef).'

    Without an account the author is the source.
    """
    moment = submission.measured_at or submission.created_at
    author = submission.submitted_by.get_username() if submission.submitted_by else submission.source or "Benchsite"
    title = " ".join(submission.title.split()) or "Untitled"
    terms = filter(None, (submission.attribution, submission.license))
    licence = "".join(f" {words}." for words in terms)
    return (
        f"{author} ({moment.year}). “{title}”. Benchsite, result {submission.pk}. {address} "
        f"(content {submission.content_hash[:16]}).{licence}"
    )


def citation_of_view(link: ShortLink, title: str, address: str) -> str:
    """The same of a view, as of the day its link was made."""
    return f"Benchsite ({link.created_at.year}). “{title}”, view of {link.created_at:%Y-%m-%d}. {address}."


def bibtex_of_view(link: ShortLink, title: str, address: str) -> str:
    """A @misc entry of a view as of the day its link was made; `address` is the short link with its host."""
    fields = {
        "title": _escaped(f"Benchsite: {title}"),
        "year": str(link.created_at.year),
        "howpublished": f"\\url{{{address}}}",
        "note": f"View of the submissions, {link.created_at:%Y-%m-%d}",
    }
    return _entry(f"benchsite-{link.key}", fields)


def bibtex_of_page(name: str, *, title: str, author: str, year: int, address: str, note: str) -> str:
    """A @misc entry of another page, such as that of a series of runs."""
    fields = {
        "title": _escaped(title),
        "author": _escaped(author),
        "year": str(year),
        "howpublished": f"\\url{{{address}}}",
        "note": note,
    }
    return _entry(name, fields)


def _entry(name: str, fields: dict[str, str]) -> str:
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items() if value]
    return "\n".join([f"@misc{{{name},", *lines, "}"])


def _escaped(text: str) -> str:
    plain = " ".join(_STRUCTURE.sub(" ", text).split())
    return _SPECIAL.sub(r"\\\1", plain)
