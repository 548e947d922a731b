"""SQL for numbers that look random and depend on nothing but a row's number and a salt."""

_BITS = 40


def whole(key: str, salt: int) -> str:
    """A whole number from 0 to 2^40 - 1."""
    return f"(hashint8extended({key}, {salt}) >> 12 & {2**_BITS - 1})"


def fraction(key: str, salt: int) -> str:
    """From 0 to less than 1."""
    return f"({whole(key, salt)}::float8 / {2**_BITS})"
