"""When the next turn of a schedule is."""

from datetime import datetime, timedelta

from runners.choices import Every

_PAUSES = {Every.DAY: timedelta(days=1), Every.WEEK: timedelta(weeks=1)}


def next_turn(every: str, hour: int, weekday: int | None, after: datetime) -> datetime:
    """The first moment after `after` at that hour (UTC), on that day of the week where there is one (0 is Monday)."""
    turn = after.replace(hour=hour, minute=0, second=0, microsecond=0)
    if weekday is not None:
        turn += timedelta(days=(weekday - turn.weekday()) % 7)
    return turn if turn > after else turn + _PAUSES[Every(every)]
