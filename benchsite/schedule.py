"""What beat starts, and when: no cron is needed. Times of the day are UTC."""

from typing import Any

from celery.schedules import crontab


def tasks(run_message_seconds: int) -> dict[str, dict[str, Any]]:
    """Celery's beat_schedule; numbers are seconds. A message that is late beyond its `expires` is worth nothing."""
    return {
        "resume uploads": {"task": "submissions.tasks.resume_uploads", "schedule": 30, "options": {"expires": 30}},
        "publish embargoed": {"task": "submissions.tasks.publish_embargoed", "schedule": 5 * 60},
        "refresh figures": {"task": "submissions.tasks.refresh_figures", "schedule": 10, "options": {"expires": 10}},
        "check figures": {"task": "submissions.tasks.check_figures", "schedule": crontab(hour="4", minute="40")},
        "make interval curves": {"task": "submissions.tasks.make_interval_curves", "schedule": 3600},
        "forget stale uploads": {"task": "submissions.tasks.forget_stale_uploads", "schedule": 3600},
        "unused short links": {"task": "submissions.tasks.forget_unused_short_links", "schedule": crontab("50", "3")},
        "dump the dataset": {"task": "submissions.tasks.dump_dataset", "schedule": crontab(hour="2", minute="30")},
        "dump the first data": {"task": "submissions.tasks.dump_first_data", "schedule": 5 * 60},
        "refresh prices": {"task": "submissions.tasks.refresh_prices", "schedule": crontab(hour="1", minute="30")},
        "clear sessions": {"task": "benchsite.tasks.clear_sessions", "schedule": crontab(hour="3", minute="30")},
        "reproductions": {"task": "submissions.tasks.look_for_reproductions_again", "schedule": crontab("45", "3")},
        "watch what is followed": {
            "task": "submissions.tasks.watch_followed",
            "schedule": 60,
            "options": {"expires": 300},
        },
        "followed and quiet": {"task": "submissions.tasks.notify_quiet", "schedule": crontab("15", "6")},
        "drive runs": {"task": "runners.tasks.drive_due", "schedule": 2, "options": {"expires": run_message_seconds}},
        "sweep": {"task": "runners.tasks.sweep_all", "schedule": 5 * 60, "options": {"expires": 10 * 60}},
        "delete orphaned files": {"task": "benchsite.tasks.delete_orphaned_files", "schedule": crontab("10", "4")},
        "clear temporary files": {"task": "benchsite.tasks.clear_temporary_files", "schedule": 3600},
    }
