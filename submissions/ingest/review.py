"""What a moderator decides about a flag. Who decided and why is recorded by the caller."""

from collections.abc import Iterable

from django.db import transaction

from submissions.choices import Flag
from submissions.ingest.reproduction import hold, look_for_reproductions
from submissions.models import Submission

# A reader can judge them; what the log itself shows stays.
CLEARABLE = (Flag.RATE_IMPLAUSIBLE, Flag.STATED_PRICE_OFF)


def clear_flags(submission: Submission, flags: Iterable[Flag] = CLEARABLE) -> list[Flag]:
    """Bring a submission back to the boards that these flags keep it from; those that were cleared."""
    wanted = [flag for flag in flags if flag in CLEARABLE]
    with transaction.atomic():
        hold({submission.workload_id})
        held = Submission.objects.select_for_update().get(pk=submission.pk)
        cleared = [flag for flag in wanted if flag in held.flags]
        held.flags = [flag for flag in held.flags if flag not in cleared]
        held.save(update_fields=["flags"])
        look_for_reproductions([held])
    submission.refresh_from_db(fields=["flags", "trust", "own_trust"])
    return cleared
