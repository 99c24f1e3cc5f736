"""`tag_format` and `tag_count`: is the completion laid out in tagged blocks?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from rewardkit.builtins.options import check_names
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["TagCount", "TagFormat"]


class TagFormat(Reward):
    """1.0 if the completion is the blocks ``<tag>…</tag>``, each once and in order, else 0.0.

    * Every opening and every closing tag occurs exactly once, so blocks are neither repeated nor
      nested; what a block holds is not judged, and it may be empty unless `allow_empty` is False.
    * Outside the blocks there is only white space. `allow_text_outside` tolerates text between
      and after the blocks, and before the first.
    * `prefilled` is for chat templates that open the first block in the prompt: the completion is
      then read as if it began with this text, such as ``"<think>"``. With None, a prompt that
      ends in the first opening tag says so itself.
    * With `partial`, a completion that fails earns ``k / (n + 1)``, where k of the n blocks occur
      exactly once, closed, and in order.
    """

    name = "tag_format"

    tags: Sequence[str] = ("think", "answer")
    prefilled: str | None = None
    partial: bool = False
    allow_text_outside: bool = False
    allow_empty: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_names(self, "tags", None)
        openings = [f"<{tag}>" for tag in self.tags]
        if self.prefilled is not None and (
            not isinstance(self.prefilled, str)
            or (self.prefilled.strip() and self.prefilled.strip() != openings[0])
        ):
            raise OptionError(
                f"tag_format(prefilled={self.prefilled!r}): accepted are the first opening tag, "
                f"{openings[0]!r}, the empty string, or None to look at the prompt"
            )

    @cached_property
    def _marks(self) -> list[tuple[str, str, str]]:
        return [(tag, f"<{tag}>", f"</{tag}>") for tag in self.tags]

    def evaluate(self, sample: Sample) -> Score:
        """Walk through the blocks from the start."""
        text = self._with_prefill(sample)
        fault = self._fault(text)
        if fault is None:
            return Score(value=1.0, passed=True)
        value = self._credit(text) if self.partial else 0.0
        return Score(value=value, passed=False, reason=fault)

    def _with_prefill(self, sample: Sample) -> str:
        text = sample.text
        opening = self._marks[0][1]
        if self.prefilled is not None:
            return self.prefilled + text
        if sample.prompt is not None and sample.prompt_text.rstrip().endswith(opening):
            return opening + text
        return text

    def _fault(self, text: str) -> str | None:
        """Return the first rule that the text breaks, or None."""
        at = 0
        for tag, opening, closing in self._marks:
            start = text.find(opening)
            if start < 0:
                return f"{opening} is missing"
            end = text.find(closing, start)
            if end < 0:
                return f"{opening} is never closed"
            if start < at:
                return f"{opening} comes too early"
            if not self.allow_text_outside and start > at and not text[at:start].isspace():
                return f"there is text before {opening}"
            if text.find(opening, start + 1) >= 0:
                return f"{opening} occurs more than once"
            if text.find(closing) != end or text.find(closing, end + 1) >= 0:
                return f"{closing} occurs more than once"
            if not self.allow_empty and not text[start + len(opening) : end].strip():
                return f"the block {tag!r} is empty"
            at = end + len(closing)
        if not self.allow_text_outside and at < len(text) and not text[at:].isspace():
            return f"there is text after {self._marks[-1][2]}"
        return None

    def _credit(self, text: str) -> float:
        at = blocks = 0
        for _, opening, closing in self._marks:
            start, end = text.find(opening), text.find(closing)
            once = text.count(opening) == 1 == text.count(closing)
            if once and at <= start < end:
                blocks += 1
                at = end
        return blocks / (len(self._marks) + 1)


class TagCount(Reward):
    """The share of the tags, opening and closing, that occur exactly once: 0.0 to 1.0.

    A soft form of `tag_format` for the start of training. It looks at no order and at nothing in
    between, so ``</answer><answer></think><think>`` earns all of it: pair it with `tag_format`,
    or let its weight fall over training.
    """

    name = "tag_count"

    tags: Sequence[str] = ("think", "answer")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_names(self, "tags", None)

    @cached_property
    def _marks(self) -> list[str]:
        return [mark for tag in self.tags for mark in (f"<{tag}>", f"</{tag}>")]

    def evaluate(self, sample: Sample) -> Score:
        """Count each tag."""
        text = sample.text
        wrong = [mark for mark in self._marks if text.count(mark) != 1]
        value = 1.0 - len(wrong) / len(self._marks)
        reason = f"not exactly once: {', '.join(wrong)}" if wrong else ""
        return Score(value=value, passed=not wrong, reason=reason)
