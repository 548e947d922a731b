"""Why a cloud's price list could not be read."""


class PriceSourceError(Exception):
    """The text tells the operator what to do; nothing has been stored."""
