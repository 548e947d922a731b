"""What only maintainers run: `python -m tools.<name>` makes files that are shipped with the site, or invented rows."""
