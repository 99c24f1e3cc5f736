"""`regex_format`: does the completion match a pattern?"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from rewardkit.builtins.options import check_choice, check_finite
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["RegexFormat"]


class RegexFormat(Reward):
    """1.0 if the completion matches `pattern`, else 0.0.

    The syntax is that of the `regex` package, a superset of Python's ``re``. ``.`` matches
    newlines unless `dotall` is False. With mode ``"fullmatch"`` the whole completion, without
    white space at its ends, must match; with ``"search"`` some part of it.

    A match that takes longer than `timeout` seconds is an ``error``: the pattern backtracks
    catastrophically on this text, which is the pattern's fault and not the completion's.

    Raises:
        OptionError: the pattern does not compile, or an option is not accepted.
    """

    name = "regex_format"

    pattern: str
    mode: Literal["fullmatch", "search"] = "fullmatch"
    dotall: bool = True
    ignore_case: bool = False
    timeout: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "mode", ("fullmatch", "search"))
        check_finite(self, "timeout", least=0.001, most=60)
        if not isinstance(self.pattern, str) or not self.pattern:
            raise OptionError(f"regex_format(pattern={self.pattern!r}): accepted is a pattern")
        import regex

        try:
            _ = self._compiled
        except regex.error as cause:
            raise OptionError(
                f"regex_format(pattern={self.pattern!r}) does not compile: {cause}"
            ) from cause

    @cached_property
    def _compiled(self) -> Any:
        import regex

        flags = regex.VERSION0
        flags |= regex.DOTALL if self.dotall else 0
        flags |= regex.IGNORECASE if self.ignore_case else 0
        return regex.compile(self.pattern, flags)

    def evaluate(self, sample: Sample) -> Score:
        """Match, within the time limit."""
        text = sample.text
        match = self._compiled.search if self.mode == "search" else self._compiled.fullmatch
        try:
            found = match(text if self.mode == "search" else text.strip(), timeout=self.timeout)
        except TimeoutError as cause:
            return Score.error(
                f"the pattern took longer than {self.timeout} s on {len(text)} characters; "
                f"it backtracks: avoid nested quantifiers",
                cause=cause,
            )
        if found:
            return Score(value=1.0, passed=True)
        return Score(value=0.0, passed=False, reason="the pattern does not match")
