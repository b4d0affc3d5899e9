"""Compiled scanner of integer edge lists: one pass over the bytes, exact line numbers for what is wrong."""

from __future__ import annotations

import numpy as np

from assets.networks.graph import HEAVIEST, LIGHTEST
from twinloom.errors import require

njit = require("numba", "cascade").njit

FINE, NOT_INTEGER, TOO_LARGE, TOO_FEW, RAGGED, NOT_WEIGHT = range(6)
_LARGEST = np.int64(2**63 - 1)


@njit(cache=True, inline="always")
def _blank(c):
    """Space, tab, comma, semicolon, carriage return and quotes stand between columns."""
    return c == 32 or c == 9 or c == 44 or c == 59 or c == 13 or c == 34


@njit(cache=True, inline="always")
def _comment(c):
    """A hash, a percent sign, or the brace with which networkx begins edge attributes."""
    return c == 35 or c == 37 or c == 123


@njit(cache=True)
def _integer(text, begin, end):
    """Value and problem of the token text[begin:end]."""
    negative = begin < end and text[begin] == 45
    first = begin + 1 if negative or (begin < end and text[begin] == 43) else begin
    if first == end:
        return np.int64(0), NOT_INTEGER
    value = np.int64(0)
    for k in range(first, end):
        digit = np.int64(text[k]) - 48
        if digit < 0 or digit > 9:
            return value, NOT_INTEGER
        if value > (_LARGEST - digit) // 10:
            return value, TOO_LARGE
        value = value * 10 + digit
    return (-value if negative else value), FINE


@njit(cache=True)
def _decimal(text, begin, end, comma):
    """Value of a decimal number such as 12, .5 or 1e-3 and whether it is one that is finite and not negative.

    ``comma``: a comma stands for the decimal point.
    """
    value, digits, scale, k = 0.0, 0, 0, begin
    if k < end and text[k] == 43:
        k += 1
    point = False
    while k < end:
        c = text[k]
        if (c == 46 or (comma and c == 44)) and not point:
            point = True
        elif 48 <= c <= 57:
            value = value * 10.0 + (c - 48)
            digits += 1
            scale -= point
        else:
            break
        k += 1
    if k < end and digits and (text[k] == 101 or text[k] == 69):
        exponent, problem = _integer(text, k + 1, end) if k + 1 < end else (np.int64(0), NOT_INTEGER)
        if problem != FINE or abs(exponent) > 400:
            return value, False
        scale += exponent
        k = end
    value *= 10.0**scale
    return value, k == end and digits > 0 and value < np.inf


@njit(cache=True)
def _digits_end(text, k, end):
    """Where the digits from ``k`` on end."""
    while k < end and 48 <= text[k] <= 57:
        k += 1
    return k


@njit(cache=True)
def _decimal_comma(text, start, stop, end):
    """Whether a comma between two digits follows a weight that no comma precedes: 1 2 0,5 is neither 0 nor 0.5."""
    return stop + 1 < end and text[stop] == 44 and 48 <= text[stop + 1] <= 57 and text[start - 1] != 44


@njit(cache=True, inline="always")
def _cell(text, k, end, mark):
    """Next cell of the line that ends at ``end``: its begin and end without blanks, and where the one after begins.

    A begin of -1 says that there is no further cell, -2 that the rest is a comment. ``mark`` parts cells, outside of
    quotes; 0: any separator does, and several count as one.
    """
    while k < end and _blank(text[k]) and text[k] != mark:
        k += 1
    if mark == 0 and k == end:
        return -1, k, k
    if k < end and _comment(text[k]):
        return -2, k, k
    begin, stop = k, k
    quoted = k > 0 and text[k - 1] == 34
    while k < end and (quoted or not (text[k] == mark if mark else _blank(text[k]))):
        quoted = quoted and text[k] != 34
        if not _blank(text[k]):
            stop = k + 1
        k += 1
    return begin, stop, k + 1 if mark or k < end else k


@njit(cache=True)
def scan(text, begin, line, mark, source, target, weight, a, b, w):
    """Read edges into ``a``, ``b`` and ``w``.

    Args:
        text: uint8 bytes of the file.
        begin, line: where to start, and the number of the line that starts there.
        mark: byte that parts the columns of lines that hold it; other lines are parted by any separator. 0: all are.
        source, target, weight: columns, counted from 0; weight -1 if there is none.
        a, b: int64 arrays with room for every line; w: float64, empty without weights.

    Returns:
        (edges, comment lines, blank lines, columns, problem, line of the problem, begin and end of its token).
    """
    edges, comments, blanks, columns = 0, 0, 0, -1
    k, size = begin, len(text)
    while k < size:
        end, marked = k, False
        while end < size and text[end] != 10:
            marked |= text[end] == mark
            end += 1
        parting = mark if marked else 0
        found, commented = 0, False
        while k <= end:
            start, stop, k = _cell(text, k, end, parting)
            if start < 0:
                commented = start == -2
                break
            if found == source or found == target:  # noqa: SIM109 (a tuple here is slow)
                value, problem = _integer(text, start, stop)
                if problem != FINE:
                    return edges, comments, blanks, columns, problem, line, start, stop
                if found == source:
                    a[edges] = value
                else:
                    b[edges] = value
            elif found == weight:
                factor, good = _decimal(text, start, stop, parting == 59)
                if parting == 0 and _decimal_comma(text, start, stop, end):
                    good, stop = False, _digits_end(text, stop + 1, end)
                elif parting != 0 and parting != 44 and text[start - 1] == 44:  # ,5 is a half
                    good, start = False, start - 1
                if not good or (factor > 0 and not LIGHTEST <= factor <= HEAVIEST):
                    return edges, comments, blanks, columns, NOT_WEIGHT, line, start, stop
                w[edges] = factor
            found += 1
        if found:
            if found <= max(source, target, weight):
                return edges, comments, blanks, columns, TOO_FEW, line, found, 0
            if columns < 0:
                columns = found
            if found != columns:
                return edges, comments, blanks, columns, RAGGED, line, found, 0
            edges += 1
        elif commented:
            comments += 1
        else:
            blanks += 1
        k = end + 1
        line += 1
    return edges, comments, blanks, columns, FINE, line, 0, 0
