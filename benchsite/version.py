"""The version of the site: the first heading of CHANGELOG.md."""

__version__ = "0.2.0"
