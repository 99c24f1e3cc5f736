"""Weights that change over training: functions of the training step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from rewardkit.errors import OptionError, SpecError, did_you_mean

__all__ = ["Schedule", "constant", "cosine", "linear", "schedule_from_spec", "step"]


@dataclass(frozen=True)
class Schedule:
    """A weight as a function of the training step (a count from 0)."""

    def __call__(self, step: int) -> float:
        """Return the weight at a step; below 0 counts as 0."""
        raise TypeError(f"{type(self).__qualname__} is not a schedule by itself")

    def scaled(self, factor: float) -> Schedule:
        """Return the schedule with every weight multiplied by `factor`."""
        raise TypeError(f"{type(self).__qualname__} is not a schedule by itself")

    def bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest weight it can give."""
        raise TypeError(f"{type(self).__qualname__} is not a schedule by itself")

    def to_spec(self) -> dict[str, Any]:
        """Return the schedule as data, for `schedule_from_spec`."""
        return {"schedule": type(self).__qualname__.lower(), **asdict(self)}


@dataclass(frozen=True)
class Constant(Schedule):
    """The same weight at every step."""

    value: float

    def __post_init__(self) -> None:
        _finite("constant", value=self.value)

    def __call__(self, step: int) -> float:
        """Return the value."""
        return self.value

    def scaled(self, factor: float) -> Constant:
        """Multiply the value."""
        return Constant(self.value * factor)

    def bounds(self) -> tuple[float, float]:
        """Return the value twice."""
        return self.value, self.value


@dataclass(frozen=True)
class Linear(Schedule):
    """From `start` to `end` in `steps` steps, then `end`."""

    start: float
    end: float
    steps: int

    def __post_init__(self) -> None:
        _finite(type(self).__qualname__.lower(), start=self.start, end=self.end)
        if isinstance(self.steps, bool) or not isinstance(self.steps, int) or self.steps < 1:
            raise OptionError(
                f"{type(self).__qualname__.lower()}(steps={self.steps!r}): accepted is a whole "
                f"number of training steps of at least 1"
            )

    def progress(self, step: int) -> float:
        """Return how far along a step is, from 0 to 1."""
        return min(max(step, 0) / self.steps, 1.0)

    def __call__(self, step: int) -> float:
        """Interpolate linearly."""
        return self.start + (self.end - self.start) * self.progress(step)

    def scaled(self, factor: float) -> Linear:
        """Multiply both ends."""
        return replace(self, start=self.start * factor, end=self.end * factor)

    def bounds(self) -> tuple[float, float]:
        """Return the two ends in order."""
        return min(self.start, self.end), max(self.start, self.end)


@dataclass(frozen=True)
class Cosine(Linear):
    """From `start` to `end` along half a cosine wave: slow, fast, slow."""

    def __call__(self, step: int) -> float:
        """Interpolate along the cosine."""
        along = (1 - math.cos(math.pi * self.progress(step))) / 2
        return self.start + (self.end - self.start) * along


@dataclass(frozen=True)
class Step(Schedule):
    """Piecewise constant: each value holds from its step on."""

    values: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        steps = [at for at, _ in self.values]
        if not steps or steps[0] != 0 or steps != sorted(set(steps)):
            raise OptionError(
                f"step({self.values!r}): accepted are (step, weight) pairs that start at step 0 "
                f"and rise, such as step({{0: 1.0, 200: 0.1}})"
            )
        for at, value in self.values:
            _finite("step", **{f"weight at {at}": value})

    def __call__(self, step: int) -> float:
        """Return the value of the last step reached."""
        reached = [value for at, value in self.values if at <= max(step, 0)]
        return reached[-1]

    def scaled(self, factor: float) -> Step:
        """Multiply every value."""
        return Step(tuple((at, value * factor) for at, value in self.values))

    def bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest value."""
        values = [value for _, value in self.values]
        return min(values), max(values)


def constant(value: float) -> Constant:
    """Return a weight that stays."""
    return Constant(value)


def linear(start: float, end: float, *, steps: int) -> Linear:
    """Return a weight that goes from `start` to `end` in `steps` training steps.

    Example:
        >>> linear(1.0, 0.0, steps=4)(1)
        0.75
    """
    return Linear(start, end, steps)


def cosine(start: float, end: float, *, steps: int) -> Cosine:
    """Return a weight that goes from `start` to `end` along half a cosine wave."""
    return Cosine(start, end, steps)


def step(values: Mapping[int, float]) -> Step:
    """Return a weight that jumps: ``step({0: 1.0, 200: 0.1})``."""
    return Step(tuple(sorted((int(at), value) for at, value in values.items())))


_KINDS: dict[str, type[Schedule]] = {
    kind.__name__.lower(): kind for kind in (Constant, Linear, Cosine, Step)
}


def schedule_from_spec(spec: Mapping[str, Any]) -> Schedule:
    """Read what `Schedule.to_spec` wrote.

    Raises:
        SpecError: the kind or a key is unknown or missing.
    """
    settings = dict(spec)
    kind = settings.pop("schedule", None)
    if kind not in _KINDS:
        raise SpecError(
            f"unknown schedule {kind!r}; accepted are {', '.join(_KINDS)}."
            f"{did_you_mean(str(kind), _KINDS)}"
        )
    if "values" in settings:
        values = settings["values"]
        pairs = values.items() if isinstance(values, Mapping) else values
        settings["values"] = tuple((int(at), value) for at, value in pairs)
    try:
        return _KINDS[kind](**settings)
    except TypeError as cause:
        raise SpecError(f"schedule {kind!r}: {cause}") from cause


def _finite(kind: str, **values: float) -> None:
    for name, value in values.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not math.isfinite(value)
        ):
            raise OptionError(f"{kind}({name}={value!r}): accepted is a finite number")
