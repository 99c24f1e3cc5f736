r"""Finds the final answer in a completion.

The rules, which every answer-checking reward shares:

* Text inside a reasoning block (``<think>…</think>``) is never the answer, whether the block is
  closed or not. A closing tag without its opening one ends a block that the prompt opened.
* Of several answers outside the reasoning, the **last** counts.
* A marker that was opened and never closed is a truncated answer, which is no answer: no later
  step of the chain gets to guess one instead.

All of it is linear in the length of the text and never recurses.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = [
    "REASONING_TAGS",
    "Extracted",
    "extract",
    "last_boxed",
    "last_tagged",
    "outside_reasoning",
]

REASONING_TAGS = ("think", "thinking", "reasoning")


class Extracted(NamedTuple):
    """An answer, or why there is none."""

    text: str | None
    """The answer as written; None if there is none."""

    step: str
    """The step of the chain that found it, or that found it truncated; empty if none did."""

    reason: str = ""
    """Why there is no answer; empty if there is one."""


def outside_reasoning(text: str, tags: tuple[str, ...] = REASONING_TAGS) -> str:
    """Return the text without its reasoning blocks; see the module for the rules."""
    for tag in tags:
        opening, closing = f"<{tag}>", f"</{tag}>"
        opened, closed = text.find(opening), text.find(closing)
        if opened < 0 and closed < 0:
            continue
        # the two shapes of nearly every completion, without a scan: one block, opened here or
        # by the prompt
        if closed > opened and text.find(opening, opened + 1 if opened >= 0 else closed) < 0:
            rest = closed + len(closing)
            if text.find(closing, rest) < 0:
                text = text[:opened] + text[rest:] if opened >= 0 else text[rest:]
                continue
        text = _outside(text, opening, closing)
    return text


def _outside(text: str, opening: str, closing: str) -> str:
    kept: list[str] = []
    depth = start = 0
    for tag in re.finditer(f"{opening}|{closing}", text):
        if depth == 0:
            kept.append(text[start : tag.start()])
        if tag.group() == opening:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()  # the prompt opened the block: all up to here was reasoning
        start = tag.end()
    if depth == 0:
        kept.append(text[start:])
    return "".join(kept)


def last_tagged(text: str, tag: str) -> Extracted:
    """Return the content of the last closed ``<tag>…</tag>`` block."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    end = text.rfind(closing)
    start = text.rfind(opening, 0, end) if end >= 0 else -1
    if start < 0:
        if text.find(opening) < 0:
            return Extracted(None, "", f"no {opening} block outside the reasoning")
        return Extracted(None, "tag", f"{opening} is never closed: the answer is truncated")
    start += len(opening)
    return Extracted(text[start : text.index(closing, start)], "tag")


_BOX = re.compile(r"\\f?box(?:ed)?\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def last_boxed(text: str) -> Extracted:
    r"""Return the content of the last balanced ``\boxed{…}`` (or ``\fbox{…}``)."""
    at = max(text.rfind("\\boxed"), text.rfind("\\fbox"))
    if at < 0:
        return Extracted(None, "", r"no \boxed{} outside the reasoning")
    box = _BOX.match(text, at)
    if box and (end := _closing_brace(text, box.end())) >= 0:
        return Extracted(text[box.end() : end], "boxed")
    # The last box is truncated, so look for an earlier one that closes. One pass with a stack:
    # starting anew at each of many unclosed boxes would be quadratic.
    opened: list[int | None] = []
    last: tuple[int, int] | None = None
    starts = {box.end() for box in _BOX.finditer(text)}
    for brace in _BRACE.finditer(text):
        if brace.group() == "{" or brace.end() in starts:
            opened.append(brace.end() if brace.end() in starts else None)
        elif brace.group() == "}" and opened:
            start = opened.pop()
            if start is not None and (last is None or start > last[0]):
                last = (start, brace.start())
    if last is None:
        return Extracted(None, "boxed", r"\boxed{ is never closed: the answer is truncated")
    return Extracted(text[last[0] : last[1]], "boxed")


def _closing_brace(text: str, start: int) -> int:
    depth = 1
    for brace in _BRACE.finditer(text, start):
        if brace.group() == "{":
            depth += 1
        elif brace.group() == "}":
            depth -= 1
            if depth == 0:
                return brace.start()
    return -1


def last_hash_line(text: str) -> Extracted:
    """Return what follows the last ``####`` on its line, the marker of GSM8K's answers."""
    at = text.rfind("####")
    if at < 0:
        return Extracted(None, "", "no #### line outside the reasoning")
    end = text.find("\n", at)
    answer = text[at + 4 : end if end >= 0 else len(text)].strip()
    if not answer:
        return Extracted(None, "hash", "nothing follows ####: the answer is truncated")
    return Extracted(answer, "hash")


def extract(text: str, steps: tuple[str, ...], *, tag: str = "answer") -> Extracted:
    """Return the answer by the first step whose marker occurs.

    Args:
        text: the completion without its reasoning (see `outside_reasoning`).
        steps: of ``"tag"``, ``"boxed"``, ``"hash"`` and ``"whole"`` (all of the text), in order.
            Other steps are the caller's and are passed over.
        tag: the name of the answer tag.
    """
    found = Extracted(None, "", "there is no answer outside the reasoning")
    for step in steps:
        if step == "tag":
            found = last_tagged(text, tag)
        elif step == "boxed":
            found = last_boxed(text)
        elif step == "hash":
            found = last_hash_line(text)
        elif step == "whole":
            return Extracted(text, "whole")
        if found.step:
            return found
    marked = [step for step in steps if step in ("tag", "boxed", "hash")]
    if len(marked) > 1:
        names = {"tag": f"<{tag}>", "boxed": r"\boxed{}", "hash": "####"}
        return Extracted(
            None, "", f"no {', '.join(names[s] for s in marked)} outside the reasoning"
        )
    return found
