"""A parser's refusal."""


class ParseError(Exception):
    """The pipeline turns it into a Refusal at the file's pointer."""
