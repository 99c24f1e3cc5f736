"""Sums and means of weighted rewards, and the operators that write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product as corners
from typing import Any, Literal

from rewardkit.compose.base import Composite, all_abstained, all_passed, first_error, reasons
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.runner import Plan, Request
from rewardkit.sample import Sample
from rewardkit.schedule import Schedule
from rewardkit.score import Part, Score


@dataclass(frozen=True)
class Term:
    """A reward in a weighted sum."""

    reward: Reward
    weight: float | Schedule = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.reward, Reward):
            raise OptionError(f"a term holds a Reward, got {self.reward!r}")
        if isinstance(self.weight, Schedule):
            return
        if (
            isinstance(self.weight, bool)
            or not isinstance(self.weight, (int, float))
            or not math.isfinite(self.weight)
        ):
            raise OptionError(
                f"weight of {self.reward.metric_name!r} is {self.weight!r}; "
                f"accepted is a finite number or a schedule"
            )

    def weight_at(self, step: int) -> float:
        """Return the weight at a training step."""
        return self.weight(step) if isinstance(self.weight, Schedule) else float(self.weight)

    def bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest weight."""
        weight = self.weight
        return weight.bounds() if isinstance(weight, Schedule) else (float(weight), float(weight))

    def scaled(self, factor: float) -> Term:
        """Return the term with its weight multiplied."""
        weight = self.weight
        return Term(
            self.reward,
            weight.scaled(factor) if isinstance(weight, Schedule) else weight * factor,
        )


OnError = Literal["error", "skip"] | float


class WeightedSum(Composite):
    r"""The sum of weight times score, :math:`\sum_i w_i v_i`, over the terms that scored.

    Usually written with operators: ``0.2 * tag_format + 0.8 * answer``; sums of sums are flat.

    * A term that abstains counts nothing, and the other weights stay as they are (a mean of the
      terms that scored is `WeightedMean`).
    * A term in error makes the total an error. `on_error` overrides: ``"skip"`` treats it as
      abstaining, a number takes the place of its value.
    * A term of weight 0 is still scored and logged.
    * It passed if every term with a notion of passing passed.

    Raises:
        OptionError: no terms, a weight that is not finite, an unknown `on_error`.
    """

    name = "weighted_sum"

    terms: Sequence[Term] = field(kw_only=False)
    on_error: OnError = "error"

    def __post_init__(self) -> None:
        super().__post_init__()
        terms = tuple(t if isinstance(t, Term) else _term_of(t) for t in self.terms)
        if not terms:
            raise OptionError(f"an empty {type(self).__qualname__} scores nothing; give it a term")
        object.__setattr__(self, "terms", terms)
        number = isinstance(self.on_error, (int, float)) and not isinstance(self.on_error, bool)
        if not (self.on_error in ("error", "skip") or (number and math.isfinite(self.on_error))):  # type: ignore[arg-type]
            raise OptionError(
                f"on_error={self.on_error!r}: accepted are 'error', 'skip' or a finite number"
            )

    def children(self) -> tuple[Reward, ...]:
        """The terms' rewards."""
        return tuple(term.reward for term in self.terms)

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The sum of the terms' ranges, a term that may abstain counted from 0."""
        low = high = 0.0
        for term in self.terms:
            ends = [w * v for w, v in corners(term.bounds(), term.reward.range)]
            low += min(0.0, *ends)
            high += max(0.0, *ends)
        return low, high

    def weights(self, step: int = 0) -> tuple[float, ...]:
        """Return the terms' weights at a training step."""
        return tuple(term.weight_at(step) for term in self.terms)

    def term_value(self, score: Score) -> float | None:
        """Return what a term's score counts: its value, None if it drops out.

        In error it is what `on_error` says, None for ``"error"`` and ``"skip"``.
        """
        if score.status == "error" and not isinstance(self.on_error, str):
            return float(self.on_error)
        return score.value

    def plan(self, samples: Sequence[Sample], step: int) -> Plan:
        """Score every term on every sample, then sum."""
        columns = yield [Request(child, samples) for child in self.children()]
        names, weights = self.part_names, self.weights(step)
        out = []
        for row in zip(*columns, strict=True):
            parts = tuple(map(Part, names, weights, row))
            failed = first_error(parts) if self.on_error == "error" else None
            out.append(failed or self._combine(parts))
        return out

    def _combine(self, parts: tuple[Part, ...]) -> Score:
        total, weight, scored = 0.0, 0.0, False
        for part in parts:
            value = self.term_value(part.score)
            if value is not None:
                total += part.weight * value
                weight += part.weight
                scored = True
        if not scored:
            return all_abstained(parts)
        return self._finish(total, weight, parts)

    def _finish(self, total: float, weight: float, parts: tuple[Part, ...]) -> Score:
        if not math.isfinite(total):
            return Score(value=None, status="error", reason="the sum overflowed", parts=parts)
        return Score(value=total, passed=all_passed(parts), reason=reasons(parts), parts=parts)

    def _spec_body(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "terms": [
                {
                    "weight": t.weight.to_spec() if isinstance(t.weight, Schedule) else t.weight,
                    "reward": t.reward.to_spec(),
                }
                for t in self.terms
            ]
        }
        return body if self.on_error == "error" else body | {"on_error": self.on_error}

    def __repr__(self) -> str:
        terms = ", ".join(f"{t.weight!r} * {t.reward!r}" for t in self.terms)
        return f"{type(self).__qualname__}([{terms}])"


class WeightedMean(WeightedSum):
    r"""The mean of the terms that scored, :math:`\sum_i w_i v_i / \sum_i w_i`.

    A term that abstains drops out of both sums, so the others' weights grow to fill its place.

    Raises:
        OptionError: as `WeightedSum`; also a negative weight, or weights that are all 0.
    """

    name = "weighted_mean"

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(term.bounds()[0] < 0 for term in self.terms):
            raise OptionError("a WeightedMean needs weights of at least 0")
        if all(term.bounds()[1] == 0 for term in self.terms):
            raise OptionError("a WeightedMean needs a weight above 0")

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest end of the terms' ranges."""
        ranges = [term.reward.range for term in self.terms]
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def _finish(self, total: float, weight: float, parts: tuple[Part, ...]) -> Score:
        if weight == 0:
            return Score(
                value=None, status="abstained", reason="every term that scored has weight 0",
                parts=parts,
            )  # fmt: skip
        return super()._finish(total / weight, weight, parts)


def Scheduled(reward: Reward, *, weight: Schedule) -> WeightedSum:
    """Return the reward times a weight that changes over training.

    Example:
        ``Scheduled(fmt, weight=linear(1.0, 0.1, steps=500)) + answer``
    """
    if not isinstance(weight, Schedule):
        raise OptionError(
            f"Scheduled(weight={weight!r}): accepted is a schedule such as "
            f"linear(1.0, 0.1, steps=500); for a fixed weight write 0.5 * reward"
        )
    return WeightedSum([Term(reward, weight)])


def add(left: Reward, right: object) -> Any:
    """``left + right`` as a flat sum; a `right` of None adds nothing."""
    if right is not None and not isinstance(right, Reward):
        return NotImplemented
    terms = [term for side in (left, right) if isinstance(side, Reward) for term in _terms(side)]
    return WeightedSum(terms)


def multiply(reward: Reward, factor: object) -> Any:
    """``factor * reward``: a sum of one term, or a sum with every weight multiplied."""
    if isinstance(factor, Reward):
        raise TypeError("to multiply two rewards write Product(a, b)")
    if isinstance(factor, Schedule):
        return Scheduled(reward, weight=factor)
    if isinstance(factor, bool) or not isinstance(factor, (int, float)):
        return NotImplemented
    if not math.isfinite(factor):
        raise OptionError(
            f"weight of {reward.metric_name!r} is {factor!r}; accepted is a finite number"
        )
    return WeightedSum([term.scaled(float(factor)) for term in _terms(reward)])


def _terms(reward: Reward) -> Sequence[Term]:
    plain = type(reward) is WeightedSum and not reward.label and reward.on_error == "error"
    return reward.terms if plain and isinstance(reward, WeightedSum) else (Term(reward),)


def _term_of(value: Any) -> Term:
    if isinstance(value, Reward):
        terms = _terms(value)
        return terms[0] if len(terms) == 1 else Term(value)
    if isinstance(value, tuple) and len(value) == 2:
        weight, reward = value
        return Term(reward, weight)
    raise OptionError(f"a term is a reward or (weight, reward), got {value!r}")
