"""Price lists of the clouds, and the snapshot that is shipped with the site."""


class PriceSourceError(Exception):
    """A price list could not be read. The text tells the operator what to do; nothing has been stored."""
