"""Small pieces of HTML: every text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from datagen.report.style import OTHER_COLOUR, STAGE_COLOURS


def cards(facts: Sequence[tuple[str, str]]) -> str:
    """Large figures with a caption each."""
    inner = "".join(
        f'<div class="card"><b>{escape(value)}</b><span>{escape(name)}</span></div>' for value, name in facts
    )
    return f'<div class="cards">{inner}</div>'


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], numeric: set[int], sortable: bool = False) -> str:
    """A table; columns in ``numeric`` are right-aligned. A cell is text, a number, or a finished `TableCell`."""
    kind = ["n" if i in numeric else "" for i in range(len(headings))]
    head = "".join(f'<th class="{c}">{escape(h)}</th>' for h, c in zip(headings, kind, strict=True))
    body = "".join(
        "<tr>" + "".join(_cell(value, c) for value, c in zip(row, kind, strict=True)) + "</tr>" for row in rows
    )
    name = "sort" if sortable else ""
    return f'<div class="wide"><table class="{name}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


class TableCell:
    """A cell with its own markup and a value to sort by."""

    def __init__(self, markup: str, value: float | str = "") -> None:
        self.markup, self.value = markup, value


def _cell(value: object, kind: str) -> str:
    if isinstance(value, TableCell):
        return f'<td class="{kind}" data-v="{escape(str(value.value))}">{value.markup}</td>'
    if isinstance(value, float):
        return f'<td class="{kind}" data-v="{value}">{number(value)}</td>'
    if isinstance(value, int):
        return f'<td class="{kind}" data-v="{value}">{value:,}</td>'
    return f'<td class="{kind}">{escape(str(value))}</td>'


def number(value: float) -> str:
    """Three significant digits, thousands separated."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def split_bar(seconds: dict[str, float]) -> str:
    """Shares of the time as one bar with a legend."""
    total = sum(seconds.values())
    parts, legend = [], []
    for stage, value in seconds.items():
        colour, share = STAGE_COLOURS.get(stage, OTHER_COLOUR), value / total
        parts.append(f'<div style="flex:{share:.5f};background:{colour}" title="{escape(stage)} {share:.1%}"></div>')
        legend.append(f'<span><i style="background:{colour}"></i>{escape(stage)} {share:.0%}</span>')
    return f'<div class="split">{"".join(parts)}</div><p class="legend">{"".join(legend)}</p>'


def histogram(counts: Sequence[int], width: int = 120, height: int = 22) -> str:
    """Counts as bars."""
    most, step = max(counts), width / len(counts)
    bars = "".join(
        f'<rect x="{i * step:.1f}" y="{height - height * c / most:.1f}" width="{step - 1:.1f}" '
        f'height="{height * c / most:.1f}"/>'
        for i, c in enumerate(counts)
    )
    return f'<svg class="hist" width="{width}" height="{height}">{bars}</svg>'


def bullets(texts: Iterable[str]) -> str:
    """A list of sentences."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"
