"""What the preview of an upload says in words."""

from submissions.analysis.curves.load_curve import peak
from submissions.choices import DateSource, Flag, Visibility
from submissions.formatting.load import rate_words
from submissions.formatting.numbers import hourly, ops_s
from submissions.formatting.text import moment, plural
from submissions.ingest.curves.load_curve import points_of
from submissions.ingest.document.submission import Publication
from submissions.ingest.pipeline import Prepared
from submissions.upload.preview import Preview

UNREADABLE = "These files cannot be read together."
INCOMPLETE = "The log was read. Complete the details below, then check again."


def finding(preview: Preview) -> str:
    """The page's first sentence."""
    if not preview.trials:
        return UNREADABLE
    if not preview.prepared:
        return INCOMPLETE
    return f"{_result(preview)} Nothing is published yet: check the details, then publish."


def becomes_public(publication: Publication, username: str, files: int) -> str:
    """What everybody will see once it is saved, in one line."""
    what = (
        "the results with all details above and your notes, "
        f"your user name {username}, and {plural(files, 'raw file')}, which anyone can download"
    )
    before = {Visibility.UNLISTED: "only those with its secret link can see it"}.get(
        publication.visibility, "only you can see it"
    )
    if publication.embargo_until is not None:
        return f"Becomes public on {moment(publication.embargo_until)}: {what}. Until then {before}."
    if publication.visibility == Visibility.PUBLIC:
        return f"Becomes public when you publish: {what}."
    if publication.visibility == Visibility.UNLISTED:
        return f"Listed nowhere, but anyone with its secret link can see {what}. Its page shows you the link."
    return "Nothing becomes public: only you and the moderators of this site can see it. You can publish it later."


def _result(preview: Preview) -> str:
    first, others = preview.prepared[0], len(preview.prepared) - 1
    if first.throughput is None:
        return f"{plural(len(preview.prepared), 'result')}."
    rate = ops_s(first.throughput.mean)
    if Flag.THROTTLED in first.flags:
        rate += " (limited to this rate by the test, not its capacity)"
    usd = first.priced.cost.hourly_usd
    result = f"{rate} for {hourly(usd)}" if usd is not None else f"{rate}, without a price"
    return f"{result}, and {plural(others, 'more result')}." if others else f"{result}."


def no_price(prepared: Prepared) -> str:
    """Why there is no price, and what would give one; "" where there is a price."""
    cost = prepared.priced.cost
    if cost.hourly_usd is not None:
        return ""
    return f"No price: {cost.missing.rstrip('.')}. A price per node-hour, entered below, is used instead."


def about_date(prepared: Prepared) -> str:
    """Where the date comes from, if nobody stated it: its prices count; "" for a stated one."""
    at, source = prepared.measured.at, prepared.measured.source
    if source == DateSource.STATED:
        return ""
    prices = "its prices are used. If it was measured on another date, enter that."
    if source == DateSource.LOG:
        return f"Measured on {at:%Y-%m-%d} according to the log: {prices}"
    if source == DateSource.FILE:
        return f"Neither you nor the log state a date. The file was written on {at:%Y-%m-%d}: {prices}"
    return f"Neither you, the log nor the file states a date. It was received on {at:%Y-%m-%d}: {prices}"


def several_submissions(preview: Preview) -> str:
    """ "" where the logs become one submission."""
    count = len(preview.trials)
    if count < 2:
        return ""
    return f"This file contains {count} results with different settings: it becomes {count} submissions, one for each."


def load_curve(preview: Preview) -> str:
    """ "" where no submission has trials at several loads."""
    curves = [points for trials in preview.trials if len(points := points_of(trials)) > 1]
    if not curves:
        return ""
    highest = peak(curves[0])
    rate = "" if highest.offered_ops_s is None else f" at {rate_words(highest.offered_ops_s)} offered"
    threads = f" with {plural(highest.threads, 'thread')}" if highest.threads else ""
    return f"The logs are a load curve of {len(curves[0])} loads: the result shows its peak{rate}{threads}."
