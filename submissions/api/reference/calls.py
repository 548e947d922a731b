"""The numbered calls of docs/api.md, for the page of the reference."""

import re
from dataclasses import dataclass

from django.conf import settings

GUIDE = settings.BASE_DIR / "docs" / "api.md"
_CALL = re.compile(r"^## \d+\. (?P<title>[^\n]+)\n(?:(?!^## ).)*?```sh\n(?P<script>.*?)```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Call:
    title: str
    script: str


CALLS = tuple(
    Call(found["title"], found["script"].strip()) for found in _CALL.finditer(GUIDE.read_text(encoding="utf-8"))
)
