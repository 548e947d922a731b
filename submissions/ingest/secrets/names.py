"""Names of properties, options and headers whose value is a secret, and values that only stand for one."""

import re

# What a secret name ends with: `mongodb.password`, `truststore-password`, `PGPASSWORD`, `aws_secret_access_key`.
# `password_encryption` and `password-file` end with something else and hold no secret.
PASSWORDS = (
    r"passw(?:or)?d|passphrase|passwort|(?<![a-z])passw?|(?<![a-z])pwd|(?-i:(?<=[a-z])(?:Pass|Pwd))"
    r"|requirepass|masterauth"
)
SECRETS = r"secret"
KEYS = (
    r"(?:secret|private|access|account|api|auth|master|encryption|signing|shared[_.-]?access|subscription)"
    r"[_.-]?key(?:[_.-]?id)?"
)
LONG_KEYS = r"primary[_.-]?key"  # of a cloud database; of a table it is the name of a column
TOKENS = r"(?<![a-z])token|(?-i:(?<=[a-z])Token)|(?:auth|access|session|security|bearer|refresh|api|oauth)token"

_PLACEHOLDER = re.compile(
    r"""
      [\s?*.=_#-]*                                # nothing, ?, ***, ...
    | null | none | nil | undefined | unset | empty | unknown | default | prompt | required | optional
    | true | false | yes | no | on | off | n/?a | enabled | disabled
    | redacted | hidden | suppressed | masked | removed
    | [*<(\[{_-]+ (?:redacted | hidden | suppressed | masked | removed | null | none) [*>)\]}_-]+
    | x{3,} | ![01]                              # of minified JavaScript
    | basic | bearer | digest | negotiate        # Authorization: Bearer
    | <.*> | \[.*\] | \{.*\} | %\w+%
    | \$ (?:\{.*\}? | \(.*\)? | (?-i:[A-Z_][A-Z0-9_]*))      # of a shell
    | (?-i:[A-Z_-]*(?:PASSW|SECRET|TOKEN|KEY)[A-Z_-]*)        # --password PASSWORD, in a help text
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)

_NAME_END = re.compile(rf"(?i)(?:{PASSWORDS}|{SECRETS}|{KEYS}|{TOKENS})$")
_LONG_NAME_END = re.compile(rf"(?i)(?:{LONG_KEYS})$")


def is_secret(name: str, value: str) -> bool:
    """Whether `value` is a secret because of the name that it was given."""
    return not is_placeholder(value) and (
        (bool(_NAME_END.search(name)) and is_plausible(name, value))
        or (bool(_LONG_NAME_END.search(name)) and is_random(value))
    )


def is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.fullmatch(value) is not None


def is_plausible(name: str, value: str) -> bool:
    """A password may be any word; tokens are also what databases and parsers count, `pwd` is also a folder."""
    lower = name.lower()
    if lower.endswith("token"):
        return len(value) >= 8 and not _is_number(value) and (len(value) >= 16 or _has_digit(value))
    if lower.endswith("pwd"):
        return not value.startswith(("/", "~", "."))
    return True


def is_random(value: str) -> bool:
    """Long and without a blank: nothing that a person would have written."""
    return len(value) >= 20 and _has_digit(value) and not any(char.isspace() for char in value)


def _has_digit(value: str) -> bool:
    return any(char.isdigit() for char in value)


def _is_number(value: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.,_]+", value) is not None
