"""Answers about results that are not for everyone: no cache keeps them, no search engine lists them."""

from typing import Protocol, TypeVar

from django.http.response import HttpResponseBase

Response = TypeVar("Response", bound=HttpResponseBase)


class HasReaders(Protocol):
    @property
    def is_open(self) -> bool: ...


def for_its_readers(response: Response, *shown: HasReaders) -> Response:
    """The response about these submissions or runs, marked as private where one of them is not open to all."""
    if not all(each.is_open for each in shown):
        response["Cache-Control"] = "private, no-store"
        response["X-Robots-Tag"] = "noindex"
    return response
