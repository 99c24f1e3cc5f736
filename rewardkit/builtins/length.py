"""Rewards of the completion's length."""

from __future__ import annotations

import math

from rewardkit.builtins.options import check_choice, check_finite, check_whole
from rewardkit.builtins.units import UNITS, Unit, pieces
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["CosineLength", "LengthPenalty", "SoftOverlong"]


class LengthPenalty(Reward):
    r"""0.0 for a completion of `target` length, falling linearly to -1.0 with the distance.

    :math:`-\min(1, |length - target| / scale)`, with `scale` equal to `target` if it is None.
    """

    name = "length_penalty"
    range = (-1.0, 0.0)

    target: int
    unit: Unit = "tokens"
    scale: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, "target", least=1)
        check_choice(self, "unit", UNITS)
        if self.scale is not None:
            check_whole(self, "scale", least=1)

    def evaluate(self, sample: Sample) -> Score:
        """Measure, and compare with the target."""
        found = pieces(sample, self.unit)
        if isinstance(found, Score):
            return found
        distance = abs(len(found) - self.target)
        value = -min(1.0, distance / (self.scale or self.target))
        reason = f"{len(found)} {self.unit}, target {self.target}" if distance else ""
        return Score(value=value + 0.0, reason=reason)


class SoftOverlong(Reward):
    """0.0 up to ``max_length - cache``, then falling linearly to -1.0 at `max_length`.

    The soft over-length punishment of DAPO (Yu et al. 2025, arXiv 2503.14476, equation 13).
    """

    name = "soft_overlong"
    range = (-1.0, 0.0)

    max_length: int
    cache: int
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, "max_length", least=1)
        check_whole(self, "cache", least=1)
        check_choice(self, "unit", UNITS)
        if self.cache > self.max_length:
            raise OptionError(
                f"soft_overlong(max_length={self.max_length}, cache={self.cache}): "
                f"accepted is a cache of at most max_length"
            )

    def evaluate(self, sample: Sample) -> Score:
        """Measure, and see how far into the cache it reaches."""
        found = pieces(sample, self.unit)
        if isinstance(found, Score):
            return found
        over = len(found) - (self.max_length - self.cache)
        value = -min(1.0, max(0.0, over / self.cache))
        reason = f"{len(found)} {self.unit}, at most {self.max_length}" if over > 0 else ""
        return Score(value=value + 0.0, reason=reason)


class CosineLength(Reward):
    r"""From `short` at length 0 to `long` at `max_length` along half a cosine, then `long`.

    :math:`long + (short - long) (1 + \cos(\pi\, length / max\_length)) / 2`, with the progress
    held at 1 beyond `max_length`. The shape of the cosine reward of Yeo et al. 2025 (arXiv
    2502.03373), which scales right and wrong answers differently: compose it as
    ``Gate(answer, then=CosineLength(short=1.0, long=0.5, …), otherwise=CosineLength(short=-1.0,
    long=-0.5, …))``.
    """

    name = "cosine_length"

    max_length: int
    short: float = 1.0
    long: float = 0.5
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, "max_length", least=1)
        check_finite(self, "short")
        check_finite(self, "long")
        check_choice(self, "unit", UNITS)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The two ends, in order."""
        return min(self.short, self.long), max(self.short, self.long)

    def evaluate(self, sample: Sample) -> Score:
        """Measure, and follow the cosine."""
        found = pieces(sample, self.unit)
        if isinstance(found, Score):
            return found
        progress = min(1.0, len(found) / self.max_length)
        share = (1.0 + math.cos(math.pi * progress)) / 2.0
        value = self.long + (self.short - self.long) * share
        return Score(value=value, reason=f"{len(found)} {self.unit} of {self.max_length}")
