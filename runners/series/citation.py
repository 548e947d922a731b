"""How a series is cited: as text, and as a BibTeX entry."""

from runners.models import Series
from submissions.records.detail.citation import bibtex_of_page


def citation(series: Series, address: str) -> str:
    """A line of plain text: 'ada (2026). "Title". Benchsite, series 7. https://...'."""
    title = " ".join(series.title.split())
    return (
        f"{series.owner.get_username()} ({series.created_at.year}). “{title}”. Benchsite, series {series.pk}. {address}"
    )


def bibtex(series: Series, address: str) -> str:
    """A @misc entry; `address` is the series' permanent address with its host."""
    return bibtex_of_page(
        f"benchsite-series-{series.pk}",
        title=series.title,
        author=series.owner.get_username(),
        year=series.created_at.year,
        address=address,
        note=f"Benchsite series of runs {series.pk}",
    )
