#!/usr/bin/env python
"""Django's command line; starts the embedded services for the commands that need them."""

import os
import sys

# These read no database and no broker: an image build or an editor must not start servers.
WITHOUT_SERVICES = frozenset(
    [
        "check",
        "collectstatic",
        "compilemessages",
        "diffsettings",
        "findstatic",
        "help",
        "makemessages",
        "spectacular",
        "startapp",
        "version",
    ]
)


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    from django.core.management import execute_from_command_line

    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    asks_for_help = bool({"-h", "--help"} & set(sys.argv[1:]))
    if command not in WITHOUT_SERVICES and not asks_for_help:
        from benchsite import embedded

        embedded.use_configured()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
