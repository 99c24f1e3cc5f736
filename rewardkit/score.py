"""What a reward says about one completion, in three states.

========== ===== ==========================================================================
status     value meaning
========== ===== ==========================================================================
scored     float the reward judged the completion; a wrong or malformed one scores low
abstained  None  this sample is not the reward's business (no gold answer, another task)
error      None  the grader failed (time-out, unreachable judge, unparseable gold answer)
========== ===== ==========================================================================

An error is never a 0: a 0 would teach the model that a good completion was a bad one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from rewardkit.errors import ReturnTypeError
from rewardkit.sample import EMPTY

__all__ = ["Part", "Score", "Status", "as_score"]

Status = Literal["scored", "abstained", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The verdict of one reward on one completion. Immutable; pickles; JSON by `to_dict`.

    Raises:
        ValueError: the value is not finite, or does not fit the status.
    """

    value: float | None
    """A finite number when `status` is ``"scored"``, else None."""

    passed: bool | None = None
    """Whether the completion passed; None when the reward has no notion of passing."""

    reason: str = ""
    """One line a person can act on."""

    parts: tuple[Part, ...] = ()
    """The breakdown of a composite, in the order of its terms."""

    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY, hash=False)
    """Further facts, JSON-able: what was extracted, which exception was caught, …"""

    status: Status = "scored"

    def __post_init__(self) -> None:
        value = self.value
        if value is None:
            if self.status == "scored":
                raise ValueError(
                    "a Score with status 'scored' needs a finite value, got None; "
                    "use Score.abstain(reason) or Score.error(reason)"
                )
        elif self.status != "scored":
            raise ValueError(f"a Score with status {self.status!r} has value None, got {value!r}")
        elif not isfinite(value):
            raise ValueError(f"a Score needs a finite value, got {value!r}")

    @classmethod
    def abstain(cls, reason: str = "") -> Score:
        """A Score that says: this sample is not this reward's business."""
        return cls(value=None, reason=reason, status="abstained")

    @classmethod
    def error(cls, reason: str, *, cause: BaseException | str | None = None) -> Score:
        """A Score that says: the grader failed. The cause is kept in ``metadata["cause"]``."""
        if isinstance(cause, BaseException):
            cause = _describe(cause)
        metadata = EMPTY if cause is None else {"cause": cause}
        return cls(value=None, reason=reason, status="error", metadata=metadata)

    def to_dict(self) -> dict[str, Any]:
        """Return the score as JSON-able data, parts nested; empty fields are left out."""
        out: dict[str, Any] = {"value": self.value, "status": self.status}
        if self.passed is not None:
            out["passed"] = self.passed
        if self.reason:
            out["reason"] = self.reason
        if self.metadata:
            out["metadata"] = dict(self.metadata)
        if self.parts:
            out["parts"] = [
                {"name": part.name, "weight": part.weight, **part.score.to_dict()}
                for part in self.parts
            ]
        return out

    def walk(self, prefix: str = "") -> Iterator[tuple[str, Score]]:
        """Yield ``(path, score)`` for each part, depth first; paths are joined with ``/``."""
        for part in self.parts:
            path = f"{prefix}{part.name}"
            yield path, part.score
            yield from part.score.walk(f"{path}/")

    def tree(self, name: str = "total") -> str:
        """Return the score and its parts as indented text, one line each."""
        return "\n".join(_lines(name, None, self, 0))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (
            self.value, self.passed, self.reason, self.parts, dict(self.metadata), self.status,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One term of a composite score."""

    name: str
    """The term's label, unique within the composite."""

    weight: float
    """The weight in force when the score was made; 1.0 where the composite has none."""

    score: Score


def _rebuild(
    value: float | None,
    passed: bool | None,
    reason: str,
    parts: tuple[Part, ...],
    metadata: dict[str, Any],
    status: Status,
) -> Score:
    return Score(
        value=value,
        passed=passed,
        reason=reason,
        parts=parts,
        metadata=metadata or EMPTY,
        status=status,
    )


def _describe(cause: BaseException) -> str:
    text = f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
    return text[:500]  # a message may quote a whole completion


def _lines(name: str, weight: float | None, score: Score, depth: int) -> Iterator[str]:
    value = score.status if score.value is None else f"{score.value:.4g}"
    times = "" if weight is None else f" x {weight:.4g}"
    mark = {True: " passed", False: " failed", None: ""}[score.passed]
    reason = f": {score.reason}" if score.reason else ""
    yield f"{'  ' * depth}{name} = {value}{times}{mark}{reason}"
    for part in score.parts:
        yield from _lines(part.name, part.weight, part.score, depth + 1)


def as_score(value: Any, *, name: str = "reward") -> Score:
    """Turn what a reward returned into a `Score`.

    Args:
        value: a Score; True or False (1.0 or 0.0, and whether it passed); a number; None (the
            reward abstains); or a scalar with an ``item()`` method (NumPy, torch).
        name: of the reward, for messages.

    Returns:
        The score. A NaN or infinite number becomes an ``error`` score: the grader's arithmetic
        failed, the completion is not to blame.

    Raises:
        ReturnTypeError: the value is anything else, such as a string.
    """
    if value is True:
        return Score(value=1.0, passed=True)
    if value is False:
        return Score(value=0.0, passed=False)
    if isinstance(value, Score):
        return value
    if value is None:
        return Score.abstain(f"{name} returned None")
    if isinstance(value, (float, int)):
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if isfinite(number):
            return Score(value=number)
        return Score.error(f"{name} returned {number}; a score must be finite or None")
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "ndim", 0) == 0:
        return as_score(item(), name=name)
    raise ReturnTypeError(
        f"reward {name!r} returned {_short(value)} of type {type(value).__name__}; "
        f"accepted are a float, a bool, None (abstain) or a Score"
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
