"""Combinators of equal parts: product, minimum, maximum."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product as corners
from typing import Any

from rewardkit.compose.base import (
    Composite,
    all_abstained,
    all_passed,
    first_error,
    need_reward,
    reasons,
)
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.runner import Plan, Request
from rewardkit.sample import Sample
from rewardkit.score import Part, Score


class _Parts(Composite):
    """A combinator of equal parts: ``Product(a, b, c)``."""

    name = "parts"
    rewards: tuple[Reward, ...] = ()

    def __init__(
        self,
        *rewards: Reward,
        label: str = "",
        column_map: Mapping[str, str] | None = None,
        **named: Iterable[Reward],
    ) -> None:
        parts = tuple(named.pop("rewards", ())) + rewards
        if named:
            raise OptionError(f"{type(self).__qualname__} has no option {next(iter(named))!r}")
        if not parts:
            raise OptionError(
                f"an empty {type(self).__qualname__} scores nothing; give it a reward"
            )
        for part in parts:
            need_reward(type(self).__qualname__, part)
        object.__setattr__(self, "rewards", parts)
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "column_map", column_map or {})
        self.__post_init__()

    def children(self) -> tuple[Reward, ...]:
        """The parts."""
        return self.rewards

    def plan(self, samples: Sequence[Sample], step: int) -> Plan:
        """Score every part on every sample, then combine the values."""
        columns = yield [Request(child, samples) for child in self.rewards]
        out = []
        for row in zip(*columns, strict=True):
            parts = tuple(Part(name, 1.0, s) for name, s in zip(self.part_names, row, strict=True))
            values = [s.value for s in row if s.value is not None]
            out.append(
                first_error(parts)
                or (
                    Score(
                        value=self._merge(values),
                        passed=all_passed(parts),
                        reason=reasons(parts),
                        parts=parts,
                    )
                    if values
                    else all_abstained(parts)
                )
            )
        return out

    def _merge(self, values: list[float]) -> float:
        raise TypeError

    def _spec_body(self) -> dict[str, Any]:
        return {"rewards": [reward.to_spec() for reward in self.rewards]}

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(map(repr, self.rewards))})"


class Product(_Parts):
    """The product of the parts that scored; a part of 0 vetoes the rest."""

    name = "product"

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The extremes over all corners of the parts' ranges, a part that may abstain as 1."""
        ends = [math.prod(c) for c in corners(*((*r.range, 1.0) for r in self.rewards))]
        return min(ends), max(ends)

    def _merge(self, values: list[float]) -> float:
        return math.prod(values)


class Min(_Parts):
    """The lowest of the parts that scored."""

    name = "min"

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """From the lowest low to the highest high."""
        return min(r.range[0] for r in self.rewards), max(r.range[1] for r in self.rewards)

    def _merge(self, values: list[float]) -> float:
        return min(values)


class Max(_Parts):
    """The highest of the parts that scored; it passed if the part that won did."""

    name = "max"

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """From the lowest low to the highest high."""
        return min(r.range[0] for r in self.rewards), max(r.range[1] for r in self.rewards)

    def plan(self, samples: Sequence[Sample], step: int) -> Plan:
        """As the other parts do, but the winner alone says whether it passed, and why."""
        scores = yield from super().plan(samples, step)
        out = []
        for score in scores:
            if score.value is None:
                out.append(score)
                continue
            best = next(p.score for p in score.parts if p.score.value == score.value)
            out.append(
                Score(value=score.value, passed=best.passed, reason=best.reason, parts=score.parts)
            )
        return out

    def _merge(self, values: list[float]) -> float:
        return max(values)
