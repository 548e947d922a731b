"""Text in a drawing: its lines, its width before anybody draws it, and its markup."""

from html import escape, unescape
from re import split

# Advance widths of Inter's printable ASCII in thousandths of its size.
_WIDTHS = (
    281, 288, 466, 633, 642, 982, 644, 300, 365, 365, 501, 662, 288, 460, 288, 360, 631, 407, 610, 618, 646, 593, 620,
    566, 619, 620, 288, 302, 662, 662, 662, 511, 966, 690, 654, 730, 722, 601, 590, 746, 743, 269, 571, 672, 565, 903,
    753, 765, 639, 765, 644, 642, 646, 744, 690, 985, 682, 679, 629, 365, 360, 365, 471, 456, 323, 562, 612, 571, 612,
    583, 370, 613, 591, 242, 242, 549, 242, 876, 591, 600, 612, 612, 376, 528, 327, 591, 562, 818, 546, 562, 552, 426,
    333, 426, 662,
)  # fmt: skip
_OTHERS = 700
_WIDEST = 1.12  # a reader's own font may be wider than Inter
_ELLIPSIS = "…"


def lines(value: object) -> list[str]:
    """The text of a figure, which has <br> and entities, as plain lines."""
    return [unescape(part) for part in split(r"<br ?/?>|\n", str(value))]


def width(text: str, size: float) -> float:
    """At most how wide a line is, in pixels."""
    units = sum(_WIDTHS[code - 32] if 32 <= (code := ord(letter)) < 127 else _OTHERS for letter in text)
    return units * size * _WIDEST / 1000


def block_width(texts: list[str], size: float) -> float:
    return max((width(text, size) for text in texts), default=0.0)


def shortened(text: str, size: float, room: float) -> str:
    """The text, or as much of it as the room allows, with an ellipsis."""
    if width(text, size) <= room:
        return text
    while text and width(text + _ELLIPSIS, size) > room:
        text = text[:-1]
    return text.rstrip(" ,·") + _ELLIPSIS


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Lines that are no wider than the room; a longer word is broken (addresses)."""
    done: list[str] = []
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if width(joined, size) <= room:
            line = joined
            continue
        if line:
            done.append(line)
        line = word
        while width(line, size) > room and len(line) > 1:
            end = next(end for end in range(len(line) - 1, 0, -1) if end == 1 or width(line[:end], size) <= room)
            done.append(line[:end])
            line = line[end:]
    return [*done, line] if line else done


def markup(text: str) -> str:
    """Safe inside an element and inside a quoted attribute; without characters that XML forbids."""
    return escape("".join(letter for letter in text if letter >= " " or letter in "\t\n"))


def number(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough, and short."""
    return f"{value:.1f}".removesuffix(".0")
