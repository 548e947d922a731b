"""Logging through structlog: lines for people on a terminal, JSON for machines, one format for every library."""

import logging
import re
import time
from collections.abc import Callable, Collection
from typing import Any

import structlog

FOREIGN_HOSTS_A_MINUTE = 10  # lines of a process
LONGEST_LINE = 300

SHARED_STEPS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


class ForeignHosts(logging.Filter):
    """Requests for another site are a line each, without a traceback; so many strangers may write in a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._minute, self.written = 0.0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        record.msg = str(record.msg)[:LONGEST_LINE]  # it has the name twice
        minute = time.monotonic() // 60
        self.written = self.written + 1 if minute == self._minute else 1
        self._minute = minute
        return self.written <= FOREIGN_HOSTS_A_MINUTE


def configuration(*, level: str, form: str, private_parameters: Collection[str] = ()) -> dict[str, Any]:
    """The LOGGING dictionary; `form` is console or json. Also sets up `structlog.get_logger()`.

    No line has the value of a private parameter: an error may print the address of its request.
    """
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED_STEPS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED_STEPS,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *_rendering(form),
                    *([_without_values_of(private_parameters)] if private_parameters else []),
                ],
            }
        },
        "filters": {"foreign hosts": {"()": ForeignHosts}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Replaces Django's own handlers, which mail the admins and print a second copy.
            "django": {"handlers": [], "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
            "django.security.DisallowedHost": {"filters": ["foreign hosts"]},
            # Two lines for each message, of which beat sends some every second.
            "celery": {"level": "WARNING"},
            # Says at each call where it found credentials, and at DEBUG what it sends: keys of machines too.
            "botocore": {"level": "WARNING"},
        },
    }


def _rendering(form: str) -> list[Any]:
    if form == "json":
        return [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer()]
    return [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]


def _without_values_of(names: Collection[str]) -> Callable[[Any, str, str], str]:
    """The last step: of the line as it is written."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})(=|%3D)[^&\s'\"\\]+", re.IGNORECASE)

    def without_values(logger: Any, method: str, line: str) -> str:
        return pattern.sub(r"\1\2...", line)

    return without_values
