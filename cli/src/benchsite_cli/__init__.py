"""The command line of Benchsite: it speaks to a site through its API alone, and imports nothing of the site."""

__version__ = "0.1.0"
