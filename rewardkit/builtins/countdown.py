"""`countdown`: does an equation over the given numbers hit the target?

Tokens, parser and arithmetic are our own: the text of a model is never given to ``eval``, sympy
or Python's parser, which run code, know functions and build towers of exponents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from rewardkit.builtins.extraction import REASONING_TAGS, extract, outside_reasoning
from rewardkit.builtins.numerals import MINUS_SIGNS
from rewardkit.builtins.options import check_choice, check_names
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["Countdown", "Rejected", "evaluate_expression"]

MAX_LENGTH = 1000
"""Characters of an expression beyond which it is refused unread."""

MAX_DEPTH = 50
"""Parentheses open at once beyond which an expression is refused."""

MAX_DIGITS = 30
"""Digits of a number literal beyond which an expression is refused."""


class Countdown(Reward):
    r"""1.0 if the answer is an equation over the numbers that gives the target, else 0.0.

    Reads the columns ``numbers`` (a list, or text such as ``"[3, 5, 7]"``) and ``target``; map
    others with ``column_map={"numbers": "nums"}``. Both may hold integers, decimals or text of
    these. The answer is the last ``<answer>`` block outside the reasoning (`extract_by` as in
    `exact_answer`).

    Rules:

    * Allowed are the numbers, ``+ - * /``, parentheses, unary minus and white space, also
      written × ÷ − · or ``\times``, ``\div``, ``\cdot``. There is no implicit multiplication.
    * Every given number is used exactly once; with `allow_subset`, at most once.
    * A given number may be negative; unary minus also negates one that is not.
    * The value is compared exactly, as a rational. `intermediates` says which results on the way
      are allowed: ``"any"`` (the usual rule in RL data sets) or ``"positive_integers"`` (the
      television game's).
    * ``= target`` may follow, if it is the target; one full stop may end the answer.

    The reason names the rule that failed. Numbers or a target that cannot be read are an
    ``error``; None abstains.
    """

    name = "countdown"
    inputs = ("numbers", "target")

    allow_subset: bool = False
    intermediates: Literal["any", "positive_integers"] = "any"
    extract_by: Sequence[Literal["tag", "boxed", "hash", "whole"]] = ("tag",)
    tag: str = "answer"
    reasoning_tags: Sequence[str] = REASONING_TAGS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "intermediates", ("any", "positive_integers"))
        check_names(self, "extract_by", ("tag", "boxed", "hash", "whole"))
        check_names(self, "tag", None)
        check_names(self, "reasoning_tags", None, empty=True)
        if not isinstance(self.allow_subset, bool):
            raise OptionError(f"countdown(allow_subset={self.allow_subset!r}): accepted is a bool")

    def evaluate(self, sample: Sample) -> Score:
        """Check the last answer against the numbers and the target."""
        numbers, target = self.column(sample, "numbers"), self.column(sample, "target")
        if numbers is None or target is None:
            return Score.abstain(f"no {'numbers' if numbers is None else 'target'}")
        given = _read_numbers(numbers)
        goal = _read_number(target)
        if given is None or goal is None:
            what = f"numbers {numbers!r:.100}" if given is None else f"target {target!r:.100}"
            return Score.error(f"the {what} cannot be read as numbers")

        text = outside_reasoning(sample.text, self._tags)
        found = extract(text, self._steps, tag=self.tag)
        if found.text is None:
            return Score(value=0.0, passed=False, reason=found.reason)
        try:
            self._check(found.text, given, goal)
        except Rejected as rejected:
            return Score(
                value=0.0,
                passed=False,
                reason=str(rejected),
                metadata={"extracted": found.text.strip()[:200]},
            )
        return Score(value=1.0, passed=True)

    @cached_property
    def _tags(self) -> tuple[str, ...]:
        return tuple(self.reasoning_tags)

    @cached_property
    def _steps(self) -> tuple[str, ...]:
        return tuple(self.extract_by)

    def _check(self, answer: str, given: list[Rational], target: Rational) -> None:
        if len(answer) > MAX_LENGTH:
            raise Rejected(f"the expression has {len(answer)} characters, at most {MAX_LENGTH}")
        expression, equals, right = _ascii(answer).strip().removesuffix(".").partition("=")
        if equals and _read_number(right.strip()) != target:
            raise Rejected(f"what follows '=' is {right.strip()[:40]!r}, the target is {target}")
        value, used, negated = evaluate_expression(
            expression, positive_integers=self.intermediates == "positive_integers"
        )
        self._check_numbers(given, used, negated)
        if value != target:
            raise Rejected(f"the value is {value}, the target is {target}")

    def _check_numbers(
        self, given: list[Rational], used: list[Rational], negated: list[Rational]
    ) -> None:
        left = Counter(given)
        for number in used:
            if not left[number]:
                raise Rejected(_overused(number, given))
            left[number] -= 1
        for number in negated:
            # "-3" is the given number -3, else the given 3 with a unary minus
            if left[-number]:
                left[-number] -= 1
            elif left[number]:
                left[number] -= 1
            else:
                raise Rejected(_overused(number, given))
        unused = list(left.elements())
        if unused and not self.allow_subset:
            raise Rejected(f"not used: {', '.join(map(str, unused))}")


Rational = int | Fraction


class Rejected(Exception):
    """An expression breaks a rule; the message says which."""


_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|[-+*/()]|\S")
_PRIORITY = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}
_TYPOGRAPHIC = {
    ord(written): plain
    for plain, alternatives in {
        "-": MINUS_SIGNS,
        "*": "\u00d7\u2715\u2716\u22c5\u00b7\u2219\u2217\uff0a",  # times, dots, asterisks
        "/": "\u00f7\u2215\u2044\uff0f",  # division sign, slashes
    }.items()
    for written in alternatives
}


def evaluate_expression(
    text: str, *, positive_integers: bool = False
) -> tuple[Rational, list[Rational], list[Rational]]:
    """Evaluate an arithmetic expression exactly.

    Dijkstra's shunting-yard algorithm on two stacks, so that depth costs no recursion.

    Args:
        text: numbers, ``+ - * /``, parentheses and white space, of bounded length.
        positive_integers: refuse results on the way that are not positive integers.

    Returns:
        The value; the literals used; the literals used with a minus sign directly before them.

    Raises:
        Rejected: the text breaks a rule.
    """
    values: list[Rational] = []
    operators: list[str] = []
    used: list[Rational] = []
    negated: list[Rational] = []
    depth = 0
    operand_next = True

    def reduce(priority: int) -> None:
        while operators and operators[-1] != "(" and _PRIORITY[operators[-1]] >= priority:
            operator = operators.pop()
            if operator == "neg":
                values[-1] = -values[-1]
                continue
            right = values.pop()
            values[-1] = _apply(operator, values[-1], right)
            if positive_integers and not (values[-1] > 0 and values[-1].denominator == 1):
                raise Rejected(f"{values[-1]} on the way is not a positive integer")

    for token in _TOKEN.findall(text):
        if token[0].isdigit():
            if not operand_next:
                raise Rejected(f"an operator is missing before {token[:40]}")
            if not token.isascii() or len(token) > MAX_DIGITS:
                raise Rejected(f"{token[:40]} is not a number that was given")
            number: Rational = int(token) if token.isdigit() else _plain(Fraction(token))
            (negated if operators and operators[-1] == "neg" else used).append(number)
            values.append(number)
            operand_next = False
        elif token == "(":
            if not operand_next:
                raise Rejected("an operator is missing before '('")
            depth += 1
            if depth > MAX_DEPTH:
                raise Rejected(f"more than {MAX_DEPTH} parentheses are open at once")
            operators.append(token)
        elif token == ")":
            if operand_next or not depth:
                raise Rejected("a ')' closes nothing")
            depth -= 1
            reduce(0)
            operators.pop()
        elif token in _PRIORITY:
            if operand_next:
                if token != "-":
                    power = token == "*" and operators and operators[-1] == "*"
                    raise Rejected(
                        "'**' is not allowed" if power else f"{token!r} has no left side"
                    )
                operators.append("neg")
            else:
                reduce(_PRIORITY[token])
                operators.append(token)
                operand_next = True
        else:
            raise Rejected(f"{token!r} is not allowed in an expression")
    if operand_next:
        raise Rejected("the expression ends too soon" if values else "the answer is empty")
    if depth:
        raise Rejected("a '(' is never closed")
    reduce(0)
    return values[0], used, negated


def _apply(operator: str, left: Rational, right: Rational) -> Rational:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if right == 0:
        raise Rejected("division by zero")
    return _plain(Fraction(left) / right)


def _plain(value: Fraction) -> Rational:
    return value.numerator if value.denominator == 1 else value


def _ascii(text: str) -> str:
    if not text.isascii():
        text = text.translate(_TYPOGRAPHIC)
    if "\\" in text:
        for latex, plain in ((r"\times", "*"), (r"\cdot", "*"), (r"\div", "/"), (r"\left", ""),
                             (r"\right", "")):  # fmt: skip
            text = text.replace(latex, plain)
    return text


def _overused(number: Rational, given: list[Rational]) -> str:
    count = given.count(number)
    if count == 0:
        return f"{number} was not given"
    return f"{number} is used more often than it was given ({count}x)"


_LITERAL = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:/[0-9]{1,30})?")


def _read_number(value: Any) -> Rational | None:
    """Read a number of the data set: an int, a finite float (by its decimal form), or text."""
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    text = str(value).strip()
    if not _LITERAL.fullmatch(text):
        return None
    try:
        return _plain(Fraction(text))
    except ZeroDivisionError:
        return None


def _read_numbers(value: Any) -> list[Rational] | None:
    if isinstance(value, str):
        value = value.strip().strip("[](){}").replace(",", " ").split()
    try:
        numbers = [_read_number(number) for number in value]
    except TypeError:
        return None
    return [n for n in numbers if n is not None] if numbers and None not in numbers else None
