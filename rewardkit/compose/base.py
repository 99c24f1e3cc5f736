"""What the combinators share: the base class, and the rules for errors and abstention."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from rewardkit.errors import OptionError
from rewardkit.protocol import Reward, Traits, plain
from rewardkit.score import Part, Score


class Composite(Reward):
    """Base of the combinators: columns, traits and async-ness follow from the children."""

    name = "composite"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that any part reads."""
        own = super().columns
        return tuple(dict.fromkeys(own + tuple(c for r in self.children() for c in r.columns)))

    @cached_property
    def is_async(self) -> bool:  # type: ignore[override]
        """Whether any part is async."""
        return any(child.is_async for child in self.children())

    @cached_property
    def traits(self) -> Traits:  # type: ignore[override]
        """Deterministic if all parts are; network and group if any is."""
        traits = [child.traits for child in self.children()]
        return Traits(
            deterministic=all(t.deterministic for t in traits),
            network=any(t.network for t in traits),
            group=any(t.group for t in traits),
        )

    @property
    def reads_all_columns(self) -> bool:
        """Whether any part looks at the whole sample."""
        return any(child.reads_all_columns for child in self.children())

    @cached_property
    def part_names(self) -> tuple[str, ...]:
        """One name for each child, unique: a repeated metric name gets ``_2`` and so on."""
        names: list[str] = []
        for child in self.children():
            base, name, count = child.metric_name, child.metric_name, 1
            while name in names:
                count += 1
                name = f"{base}_{count}"
            names.append(name)
        return tuple(names)

    def to_spec(self) -> dict[str, Any]:
        """Return the spec: the combinator's name as ``type``, its parts nested."""
        return {"type": self.name} | self._spec_body() | self._spec_tail()

    def _spec_body(self) -> dict[str, Any]:
        return {key: plain(value, self, key) for key, value in self.options().items()}


def need_reward(where: str, value: object) -> None:
    """Raise `OptionError` unless the value is a reward."""
    if not isinstance(value, Reward):
        raise OptionError(
            f"{where} takes a Reward, got {value!r}; rewardkit.load makes one from a name"
        )


def need_finite(where: str, option: str, value: object) -> None:
    """Raise `OptionError` unless the value is a finite number."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (number and math.isfinite(value)):  # type: ignore[arg-type]
        raise OptionError(f"{where}({option}={value!r}): accepted is a finite number")


def first_error(parts: tuple[Part, ...]) -> Score | None:
    """Return the error of the whole if a part is in error, else None."""
    for part in parts:
        if part.score.status == "error":
            reason = f"{part.name}: {part.score.reason}"
            return Score(value=None, status="error", reason=reason, parts=parts)
    return None


def all_abstained(parts: tuple[Part, ...]) -> Score:
    """Return the score of a whole whose parts all abstained."""
    return Score(value=None, status="abstained", reason=reasons(parts), parts=parts)


def all_passed(parts: tuple[Part, ...]) -> bool | None:
    """Whether every part with a notion of passing passed; None if none has one."""
    known = [part.score.passed for part in parts if part.score.passed is not None]
    return all(known) if known else None


def reasons(parts: tuple[Part, ...]) -> str:
    """Join the parts' reasons, each after its part's name."""
    return "; ".join(f"{p.name}: {p.score.reason}" for p in parts if p.score.reason)


def same(score: Score, parts: tuple[Part, ...]) -> Score:
    """Return a score with other parts: a wrapper that took over one part's verdict."""
    return Score(
        value=score.value,
        passed=score.passed,
        reason=score.reason,
        parts=parts,
        status=score.status,
    )
