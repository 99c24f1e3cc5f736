r"""Reads a number as people and models write it.

``parse_number`` reads one answer, all of it: ``$7{,}250``, ``\frac{3}{4}``, ``-12.50``, ``3 1/4``,
``15 km``, ``1.2e3``, ``x = 5``. Text that is more than one number is no number: ``5 or 6`` and
``see figure 3`` give None. `last_number` finds the last number in running text.

Numbers are exact rationals. Lengths and exponents are bounded, so no input builds a huge integer.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

__all__ = ["MINUS_SIGNS", "Number", "last_number", "parse_number"]

MAX_DIGITS = 400
"""Digits of a literal, and size of a decimal exponent, beyond which a text is no number."""

MAX_LENGTH = 1000
"""Characters of an answer beyond which it is no number."""


class Number(NamedTuple):
    """A number and what it counts."""

    value: int | Fraction
    unit: str = ""
    """The unit in a normal form: ``$``, ``%``, ``km``; empty if none was written."""


_PLAIN = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"(-?[0-9]{1,18})\.([0-9]{1,18})")
MINUS_SIGNS = "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d"
"""What stands for a minus besides the ASCII hyphen: minus sign, hyphens, dashes, wide forms."""

_DASHES = dict.fromkeys(map(ord, MINUS_SIGNS), "-")
_LATEX_WRAP = re.compile(
    r"\\(?:boxed|fbox|text|textbf|textit|mathrm|mathbf|mathit|mbox|emph)\s*\{([^{}]*)\}"
)
_LATEX_FRACTION = re.compile(
    r"\\[dtc]?frac\s*(?:\{\s*(-?[0-9.,]+)\s*\}|([0-9]))\s*(?:\{\s*(-?[0-9.,]+)\s*\}|([0-9]))"
)
_LATEX_POWER = re.compile(r"\s*(?:\\times|\\cdot|[×*x])\s*10\s*\^\s*\{?\s*(-?[0-9]{1,4})\s*\}?")
_ASSIGNMENT = re.compile(r"[A-Za-z](?:_\{?[A-Za-z0-9]\}?)?\s*(?:\([A-Za-z]\))?\s*=\s*")
_PREFIX = re.compile(r"(?:the\s+)?(?:final\s+)?answer\s*(?:is|:|=)\s*:?\s*", re.IGNORECASE)

_CURRENCY = "$€£¥₹₩₽"
_INTEGER = r"[0-9]{1,3}(?:[,\u00a0\u2009\u202f'][0-9]{3})+(?![0-9])|[0-9]+"
_NUMBER = re.compile(
    rf"""
    (?P<sign>[-+])?\s*
    (?P<currency>[{_CURRENCY}])?\s*
    (?P<inner>-)?
    (?:
        (?P<whole>{_INTEGER})
        (?: (?P<point>\.[0-9]*)? (?:[eE](?P<exponent>[-+]?[0-9]{{1,20}}))?
            (?:\s*/\s*(?P<over>{_INTEGER}))?
          | \s+(?P<top>[0-9]+)\s*/\s*(?P<bottom>[0-9]+)
        )
      | (?P<bare>\.[0-9]+)
    )
    \s*(?P<percent>%)?
    \s*(?P<after>[{_CURRENCY}])?
    """,
    re.VERBOSE,
)
_UNIT = re.compile(r"\s*(?:/\s*)?([A-Za-zµμΩ°²³][A-Za-zµμΩ°²³/.^· -]*(?:\^?-?[0-9])?)")
_MULTIPLIERS = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_UNIT_SYNONYMS = {
    "dollar": "$",
    "usd": "$",
    "euro": "€",
    "eur": "€",
    "pound sterling": "£",
    "gbp": "£",
    "yen": "¥",
    "rupee": "₹",
    "percent": "%",
    "per cent": "%",
    "percentage": "%",
    "kilometer": "km",
    "kilometre": "km",
    "meter": "m",
    "metre": "m",
    "centimeter": "cm",
    "centimetre": "cm",
    "hour": "h",
    "hr": "h",
    "minute": "min",
    "second": "s",
    "sec": "s",
    "kilogram": "kg",
    "gram": "g",
    "degree": "°",
    "foot": "ft",
    "feet": "ft",
    "inch": "in",
    "inche": "in",
}


def parse_number(text: str) -> Number | None:
    """Return the number that the whole of `text` is, or None.

    Thousands separators are commas (strictly in threes), LaTeX's ``{,}`` and thin spaces, and
    no-break spaces. A comma is never a decimal point: ``3,5`` is None. A percent sign is a unit:
    ``15%`` is 15 of ``%`` and never 0.15.
    """
    if _PLAIN.fullmatch(text):
        return Number(int(text))
    if decimal := _DECIMAL.fullmatch(text):
        return Number(_plain(Fraction(int(decimal[1] + decimal[2]), 10 ** len(decimal[2]))))
    if len(text) > MAX_LENGTH:
        return None
    text = _unwrap(text)
    match = _NUMBER.match(text)
    if match is None:
        return None
    value = _value(match)
    if value is None:
        return None
    unit = match["currency"] or match["percent"] or match["after"] or ""
    rest = text[match.end() :]
    power = _LATEX_POWER.match(rest)
    if power is not None:
        exponent = int(power.group(1))
        if abs(exponent) > MAX_DIGITS:
            return None
        value = _plain(value * Fraction(10) ** exponent)
        rest = rest[power.end() :]
    rest = rest.strip().rstrip(".,;:!").rstrip()
    if rest:
        written = _UNIT.fullmatch(rest)
        if written is None:
            return None
        words = written.group(1).strip().casefold()
        first, _, others = words.partition(" ")
        if first in _MULTIPLIERS:
            value = _plain(value * _MULTIPLIERS[first])
            words = others.strip().removeprefix("of ")
        if _is_sentence(words):
            return None
        unit = _normal_unit(words) or unit
    return Number(value, unit)


def _unwrap(text: str) -> str:
    """Strip emphasis, math delimiters and LaTeX spellings, leaving the number and its unit."""
    text = text.strip().translate(_DASHES)
    if "\\" in text or "$" in text or "{" in text:
        text = text.replace("\\$", "¤").replace("\\(", "").replace("\\)", "")
        text = text.replace("\\[", "").replace("\\]", "").replace("$$", "")
        if text.count("$") == 2 and text.startswith("$") and text.rstrip(".").endswith("$"):
            text = text.replace("$", "")
        text = text.replace("¤", "$").replace("{,}", ",").replace("\\%", "%")
        text = text.replace("\\left", "").replace("\\right", "").replace("^\\circ", "°")
        text = text.replace("^{\\circ}", "°").replace("\\degree", "°").replace("\\circ", "°")
        for space in ("\\,", "\\!", "\\;", "\\:", "\\ ", "~"):
            text = text.replace(space, "\u2009")
        for _ in range(4):  # \boxed{\text{27}}: a bounded number of layers
            text, changed = _LATEX_WRAP.subn(r" \1 ", text)
            if not changed:
                break
        text = _LATEX_FRACTION.sub(_plain_fraction, text)
        if text.startswith("{") and text.endswith("}"):
            text = text[1:-1]
    text = text.strip("\u2009 \t\r\n").strip("*_`\"' \t\r\n").rstrip(".,;:! ")
    text = text.strip("*_` ")
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1].strip()
    if prefix := _PREFIX.match(text):
        text = text[prefix.end() :]
    if assignment := _ASSIGNMENT.match(text):
        text = text[assignment.end() :]
    return text.lstrip("= ").strip("*_` ")


def _plain_fraction(match: re.Match[str]) -> str:
    top, bottom = match[1] or match[2], match[3] or match[4]
    return f" {top}/{bottom}"


def _value(match: re.Match[str]) -> int | Fraction | None:
    whole, point = match["whole"], match["point"] or ""
    digits = re.sub(r"[^0-9]", "", whole) if whole else "0"
    decimals = (match["bare"] or point)[1:]
    exponent = int(match["exponent"] or 0)
    if len(digits) + len(decimals) > MAX_DIGITS or abs(exponent) > MAX_DIGITS:
        return None
    value: int | Fraction = int(digits)
    if decimals:
        value = Fraction(int(digits + decimals), 10 ** len(decimals))
    if exponent:
        value = value * Fraction(10) ** exponent
    over = match["over"] or match["bottom"]
    if over:
        if len(over) > MAX_DIGITS or len(match["top"] or "") > MAX_DIGITS:
            return None
        below = int(re.sub(r"[^0-9]", "", over))
        if below == 0:
            return None
        value = (
            value + Fraction(int(match["top"]), below) if match["top"] else value / Fraction(below)
        )
    negative = (match["sign"] == "-") != (match["inner"] == "-")
    return _plain(-value if negative else value)


def _plain(value: int | Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def _is_sentence(unit: str) -> bool:
    """Whether what follows a number is no unit but a choice, a denial or another number."""
    words = unit.split()
    return len(words) > 4 or any(word in _NO_UNIT for word in words)


_NO_UNIT = {"or", "and", "to", "not", "but", "if", "is", "isn't", "no", "plus", "minus", "times",
            "over", "k", "b", "bn", "mn", "wrong", "maybe", "x", "e", "pi", "i"}  # fmt: skip


def _normal_unit(unit: str) -> str:
    unit = unit.strip(" .")
    if unit in _UNIT_SYNONYMS:
        return _UNIT_SYNONYMS[unit]
    single = unit.removesuffix("s") if len(unit) > 2 else unit
    return _UNIT_SYNONYMS.get(single, single)


_IN_TEXT = re.compile(
    rf"""
    (?:(?<![\w)\].])[-])? [{_CURRENCY}]? (?:(?<=[{_CURRENCY}])-)?
    (?: (?<![\w.]) (?:{_INTEGER}) (?:\.[0-9]+)? | (?<![\w.])\.[0-9]+ )
    (?: [eE][-+]?[0-9]{{1,20}} (?![\w]) )?
    (?: \s?/\s?[0-9]+(?![\w.]*[0-9]) )?
    \s?%?
    """,
    re.VERBOSE,
)


_LAST_DIGIT = re.compile(r".*[0-9]", re.DOTALL)  # greedy: it backtracks from the end


def last_number(text: str) -> str | None:
    """Return the last number in running text as it is written there, or None.

    Digits inside a word (``H2O``, ``x2``) are no number; a hyphen between two numbers is no sign.
    """
    end = len(text)
    while end > 0 and (digit := _LAST_DIGIT.match(text, 0, end)):
        last = digit.end()
        for width in (80, MAX_LENGTH):
            start = max(0, last - width)
            window = text[start : last + 2].translate(_DASHES)
            found = [*_IN_TEXT.finditer(window), *_LATEX_FRACTION.finditer(window)]
            if found:
                number = max(found, key=lambda match: match.end())
                if number.start() > 0 or start == 0:  # else it may begin before the window
                    return number.group().strip()
        end = min(start, last - 1) if not found else start
    return None
