"""`exact_answer`: is the final answer of the completion the gold answer?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

from rewardkit.builtins.extraction import REASONING_TAGS, Extracted, extract, outside_reasoning
from rewardkit.builtins.numerals import Number, last_number, parse_number
from rewardkit.builtins.options import check_choice, check_names
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["ExactAnswer"]

Step = Literal["tag", "boxed", "hash", "last", "whole"]
_STEPS = ("tag", "boxed", "hash", "last", "whole")


class ExactAnswer(Reward):
    r"""1.0 if the final answer equals the gold answer in the column ``answer``, else 0.0.

    **Which text is the answer.** Text inside a reasoning block never is, closed or not. Outside
    it, the first step of `extract_by` whose marker occurs decides, and of several such answers
    the last counts:

    * ``tag``: ``<answer>…</answer>``;
    * ``boxed``: ``\boxed{…}`` or ``\fbox{…}`` with balanced braces;
    * ``hash``: the rest of the line after ``####``; a run-on completion that invents a further
      question is judged by its last one, so use stop strings;
    * ``last``: the last number of the text (kind number), or the last letter in a form such as
      ``(C)`` or ``answer: C`` (kind choice); nothing for kind text;
    * ``whole``: all of the text (off by default).

    A marker that was opened and never closed is a truncated answer and scores 0.0; it is not
    salvaged by a later step.

    **When two answers are equal**, by `kind`:

    * ``text``: after folding case (unless `case_sensitive`), runs of white space, surrounding
      quotes and emphasis, and one final full stop. Never by containment.
    * ``number``: as exact rationals, so 0.1 is 1/10 and 100009 is not 100000, or within
      `tolerance` (absolute) or `rel_tolerance`. Read are thousands separators on either side,
      currency, units, LaTeX spellings, fractions, mixed numbers, ``1e3``, Unicode minus,
      ``x = 5``, and a final full stop. Units must agree if both sides have one, and a unit that
      the gold answer lacks is dropped; percent is such a unit, so ``15%`` is never 0.15.
    * ``choice``: as one letter: ``C``, ``(c)``, ``C. Paris``, ``option C``.

    The gold answer may be text, a number, a list of answers of which any will do, or a whole
    GSM8K solution that ends in ``#### 42``. None abstains; one that cannot be read as `kind` is an
    ``error``.

    Raises:
        OptionError: an option has a value that is not accepted.
    """

    name = "exact_answer"
    inputs = ("answer",)

    kind: Literal["text", "number", "choice"] = "text"
    extract_by: Sequence[Step] = ("tag", "boxed", "hash", "last")
    tag: str = "answer"
    reasoning_tags: Sequence[str] = REASONING_TAGS
    case_sensitive: bool = False
    tolerance: float = 0.0
    rel_tolerance: float = 0.0
    choices: str = "ABCDEFGHIJ"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "kind", ("text", "number", "choice"))
        check_names(self, "extract_by", _STEPS)
        check_names(self, "reasoning_tags", None, empty=True)
        check_names(self, "tag", None)
        for option in ("tolerance", "rel_tolerance"):
            value = getattr(self, option)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                raise OptionError(f"exact_answer({option}={value!r}): accepted is a number >= 0")
        if not (isinstance(self.choices, str) and self.choices.isalpha()):
            raise OptionError(
                f"exact_answer(choices={self.choices!r}): accepted are letters such as 'ABCD'"
            )

    def evaluate(self, sample: Sample) -> Score:
        """Extract the answer and compare it with the gold answer."""
        gold = self.column(sample, "answer")
        if gold is None:
            return Score.abstain("no gold answer")
        golds = gold if isinstance(gold, (list, tuple)) else [gold]
        parsed = [self._parse_gold(str(each)) for each in golds]
        if not parsed or None in parsed:
            return Score.error(f"the gold answer {gold!r:.100} cannot be read as a {self.kind}")

        text = outside_reasoning(sample.text, self._tags)
        found = extract(text, self._steps, tag=self.tag)
        found = self._or_a_later_one(text, found)
        if found.text is None:
            return Score(value=0.0, passed=False, reason=found.reason)
        answer = self._parse(found.text)
        if answer is None:
            reason = f"the answer {_short(found.text)} cannot be read as a {self.kind}"
            if not found.text.strip():
                reason = "the answer is empty"
            return Score(value=0.0, passed=False, reason=reason)
        if any(self._equal(answer, each) for each in parsed):
            return Score(value=1.0, passed=True)
        shown = golds[0] if len(golds) == 1 else golds
        return Score(
            value=0.0,
            passed=False,
            reason=f"the answer is {_short(found.text)}, expected {_short(str(shown))}",
            metadata={"extracted": found.text.strip()[:200], "by": found.step},
        )

    def _or_a_later_one(self, text: str, found: Extracted) -> Extracted:
        """Apply the step ``last``, and pass over ``####`` headings that are no answer."""
        if found.step == "hash" and found.text is not None and self._parse(found.text) is None:
            found = Extracted(None, "", f"#### {_short(found.text)} is no {self.kind}")
        if found.step or "last" not in self.extract_by:
            return found
        if self.kind == "number":
            last = last_number(text)
        elif self.kind == "choice":
            last = _last_choice(text)
        else:
            return found
        return found if last is None else Extracted(last, "last")

    @cached_property
    def _tags(self) -> tuple[str, ...]:
        return tuple(self.reasoning_tags)

    @cached_property
    def _steps(self) -> tuple[str, ...]:
        return tuple(self.extract_by)

    @cached_property
    def _parse(self) -> Callable[[str], Any]:
        return {"text": self._text, "number": parse_number, "choice": self._choice}[self.kind]

    def _parse_gold(self, gold: str) -> Any:
        if "####" in gold:
            gold = gold.rpartition("####")[2].strip()
        return self._parse(gold)

    def _text(self, text: str) -> str | None:
        text = " ".join(_unwrapped(text).split())
        text = unicodedata.normalize("NFC", text).strip("*_`\"'“”‘’ ").removesuffix(".")
        return (text if self.case_sensitive else text.casefold()) or None

    def _choice(self, text: str) -> str | None:
        match = _CHOICE.fullmatch(_unwrapped(text).strip("*_`\"' \t\r\n."))
        letter = match["letter"].upper() if match else ""
        return letter if letter and letter in self.choices.upper() else None

    def _equal(self, answer: Any, gold: Any) -> bool:
        if not isinstance(answer, Number):
            return bool(answer == gold)
        if answer.unit and gold.unit and answer.unit != gold.unit:
            return False
        if answer.value == gold.value:
            return True
        if not (self.tolerance or self.rel_tolerance):
            return False
        from fractions import Fraction

        # as decimals: Fraction(0.1) would be the binary number next to a tenth
        allowed = max(
            Fraction(repr(float(self.tolerance))),
            Fraction(repr(float(self.rel_tolerance))) * abs(gold.value),
        )
        return bool(abs(answer.value - gold.value) <= allowed)


_WRAP = re.compile(r"\\(?:boxed|fbox|text|textbf|textit|mathrm|mathbf|mbox)\s*\{([^{}]*)\}")
_CHOICE = re.compile(
    r"(?:(?:the\s+)?(?:correct\s+)?(?:final\s+)?(?:answer|option|choice)(?:\s+is)?\s*:?\s*)?"
    r"[(\[]?(?P<letter>[A-Za-z])(?:[)\]]|[.:](?=\s|$)|(?=$))(?:\s.{0,500})?",
    re.IGNORECASE | re.DOTALL,
)
_CHOICE_IN_TEXT = re.compile(
    r"\((?P<a>[A-Z])\)|\b(?:answer|option|choice)(?:\s+is)?\s*:?\s*\**\(?(?P<b>[A-Z])\b"
    r"|^\s*\**(?P<c>[A-Z])\b[).:]?\**\s*\Z",
    re.MULTILINE,
)


def _last_choice(text: str) -> str | None:
    last = None
    for last in _CHOICE_IN_TEXT.finditer(text, max(0, len(text) - 2000)):  # noqa: B007
        pass
    return None if last is None else last["a"] or last["b"] or last["c"]


def _unwrapped(text: str) -> str:
    text = text.strip()
    for _ in range(3):
        if "\\" not in text:
            break
        text = _WRAP.sub(r"\1", text).replace("\\$", "$").replace("\\ ", " ")
    if len(text) > 2 and text.startswith("$") and text.endswith("$"):
        text = text[1:-1]
    return text


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
