"""A badge: a small picture with a label and a figure, for other sites. It has colours of its own in light and dark."""

from submissions.charts.text import markup, number, width

HEIGHT = 20
_SIZE = 11.0
_EDGE = 6.0
_LABEL = "#4b5563"
KNOWN, UNKNOWN, FLAGGED = "#0072b2", "#6b7280", "#92400e"  # white is readable on each: 4.5 to 1 at least


def badge_svg(label: str, value: str, title: str, colour: str = KNOWN) -> str:
    """`title` says the same in words that can be read alone."""
    left, right = (width(words, _SIZE) + 2 * _EDGE for words in (label, value))
    whole = number(left + right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{HEIGHT}" viewBox="0 0 {whole} {HEIGHT}"'
        f' role="img" aria-label="{markup(title)}"><title>{markup(title)}</title>'
        f'<rect width="{whole}" height="{HEIGHT}" rx="3" fill="{_LABEL}"/>'
        f'<path d="M{number(left)} 0h{number(right - 3)}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{number(right - 3)}z"'
        f' fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="{number(_SIZE)}" text-anchor="middle">'
        f"{_words(label, left / 2, left)}{_words(value, left + right / 2, right)}</g></svg>"
    )


def _words(words: str, middle: float, room: float) -> str:
    place = f'x="{number(middle)}" y="14"'
    length = number(room - 2 * _EDGE)  # whatever font the reader has
    return f'<text {place} textLength="{length}" lengthAdjust="spacingAndGlyphs">{markup(words)}</text>'
