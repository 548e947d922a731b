"""How long one statement may take, by what a process is for: a page's or a task's."""

from django.conf import settings


def limit_statements(seconds: int) -> None:
    """For every connection that this process opens from now on; 0: without limit."""
    for database in settings.DATABASES.values():
        options = database.setdefault("OPTIONS", {})
        given = options.get("options", "")
        options["options"] = f"{given} -c statement_timeout={seconds * 1000}".strip()
