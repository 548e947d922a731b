#!/usr/bin/env python
"""Django's command line; starts the embedded services for the commands that need them."""

import os
import signal
import sys

# These read no database and no broker: an image build or an editor must not start servers.
WITHOUT_SERVICES = {"check", "collectstatic", "diffsettings", "findstatic", "help", "spectacular", "version"}


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    signal.signal(signal.SIGTERM, exit_in_order)
    from django.core.management import execute_from_command_line

    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    asks_for_help = bool({"-h", "--help"} & set(sys.argv[1:]))
    if command not in WITHOUT_SERVICES and not asks_for_help:
        from benchsite.processes import embedded

        try:
            if command == "serve":
                embedded.begin_to_use()  # while Django is loaded
            else:
                embedded.use_configured()
        except embedded.EmbeddedError as error:
            sys.exit(f"manage.py: {error}")
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def exit_in_order(*_):
    """So that the last user of the embedded services stops them when it is told to end."""
    sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    main()
