"""Combinators that change the value of one reward: clip and scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property

from rewardkit.compose.base import Composite, need_finite, need_reward, same
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.runner import Plan, Request
from rewardkit.sample import Sample
from rewardkit.score import Part, Score


class _Map(Composite):
    """A combinator that changes the value of one reward."""

    name = "map"
    reward: Reward = field(kw_only=False)

    def children(self) -> tuple[Reward, ...]:
        """The one reward."""
        return (self.reward,)

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The reward's range, changed the same way."""
        ends = [self._map(end) for end in self.reward.range]
        return min(ends), max(ends)

    def plan(self, samples: Sequence[Sample], step: int) -> Plan:
        """Score the reward, then change each value."""
        [scores] = yield [Request(self.reward, samples)]
        [name] = self.part_names
        out = []
        for score in scores:
            parts = (Part(name, 1.0, score),)
            if score.value is None:
                out.append(same(score, parts))
                continue
            value = self._map(score.value)
            out.append(
                Score(value=value, passed=score.passed, reason=score.reason, parts=parts)
                if math.isfinite(value)
                else Score(value=None, status="error", reason="the value overflowed", parts=parts)
            )
        return out

    def _map(self, value: float) -> float:
        raise TypeError


class Clip(_Map):
    """The reward's value, held between `low` and `high`."""

    name = "clip"
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        need_reward("Clip", self.reward)
        need_finite("Clip", "low", self.low)
        need_finite("Clip", "high", self.high)
        if self.low > self.high:
            raise OptionError(f"Clip(low={self.low}, high={self.high}): low must not exceed high")

    def _map(self, value: float) -> float:
        return min(max(value, self.low), self.high)


class Scale(_Map):
    """The reward's value times `factor`, plus `offset`."""

    name = "scale"
    factor: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        need_reward("Scale", self.reward)
        need_finite("Scale", "factor", self.factor)
        need_finite("Scale", "offset", self.offset)

    def _map(self, value: float) -> float:
        return value * self.factor + self.offset
