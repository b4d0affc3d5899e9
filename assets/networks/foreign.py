"""Formats of graphs that are texts too, but no edge lists: told by their first line before their words become ids."""

from __future__ import annotations

import re

from twinloom.errors import TwinloomError

_FORMATS = {
    "a web page or XML": rb"<",
    "JSON": rb"""\{|\[\s*([\[{"'\d-]|$)""",
    "GML or DOT": rb"(strict\s+)?(di)?graph\b[^,;\t]*[\[{]\s*$",
    "Pajek": rb"\*(vertices|network|arcs|edges)\b",
}
_FIRST = {name: re.compile(form, re.IGNORECASE) for name, form in _FORMATS.items()}


def refuse(line: bytes) -> None:
    """Raise TwinloomError if a file that begins with this line (comments left out) has another format."""
    for name, form in _FIRST.items():
        if form.match(line.strip()):
            raise TwinloomError(
                f"it is {name}, not a text of one edge a line; export the edges as two columns, source and target"
                + (", or download the data file itself" if line.lstrip()[:1] == b"<" else "")
            )
