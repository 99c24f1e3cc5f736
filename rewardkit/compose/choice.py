"""Combinators that choose which reward scores a sample: gate and switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

from rewardkit.compose.base import Composite, need_finite, need_reward, same
from rewardkit.errors import OptionError
from rewardkit.protocol import Reward
from rewardkit.runner import Plan, Request
from rewardkit.sample import Sample
from rewardkit.score import Part, Score


class Gate(Composite):
    """Scores `then` where the condition is met, `otherwise` where it is not.

    The condition is met if it passed; one with no notion of passing, if it reached the top of its
    range; with `at_least`, if its value is at least that. A closed gate does not run `then`, so a
    costly reward (compiler, judge) sees only what is worth it. If the condition abstains or fails,
    so does the gate.

    Example:
        ``Gate(tag_format, then=judge, otherwise=0.0)``
    """

    name = "gate"

    condition: Reward = field(kw_only=False)
    then: Reward
    otherwise: Reward | float = 0.0
    at_least: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        need_reward("Gate", self.condition)
        need_reward("Gate(then=…)", self.then)
        if not isinstance(self.otherwise, Reward):
            need_finite("Gate", "otherwise", self.otherwise)
        if self.at_least is not None:
            need_finite("Gate", "at_least", self.at_least)

    def children(self) -> tuple[Reward, ...]:
        """Condition, then, and otherwise if it is a reward."""
        last = (self.otherwise,) if isinstance(self.otherwise, Reward) else ()
        return (self.condition, self.then, *last)

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """What either side can give."""
        other = self.otherwise
        low, high = other.range if isinstance(other, Reward) else (other, other)
        return min(low, self.then.range[0]), max(high, self.then.range[1])

    def plan(self, samples: Sequence[Sample], step: int) -> Plan:
        """Score the condition, then each side on its own samples."""
        [conditions] = yield [Request(self.condition, samples)]
        sides: list[bool | None] = [
            None if score.value is None else self._is_open(score) for score in conditions
        ]
        requests = [Request(self.then, [s for s, o in zip(samples, sides, strict=True) if o])]
        if isinstance(self.otherwise, Reward):
            requests.append(
                Request(
                    self.otherwise, [s for s, o in zip(samples, sides, strict=True) if o is False]
                )
            )
        answers = yield requests
        then, otherwise = iter(answers[0]), iter(answers[-1])
        names = self.part_names
        out = []
        for condition, side in zip(conditions, sides, strict=True):
            first = Part(names[0], 1.0, condition)
            if side is None:
                out.append(same(condition, (first,)))
            elif side:
                score = next(then)
                out.append(same(score, (first, Part(names[1], 1.0, score))))
            elif isinstance(self.otherwise, Reward):
                score = next(otherwise)
                out.append(same(score, (first, Part(names[2], 1.0, score))))
            else:
                out.append(
                    Score(
                        value=float(self.otherwise),
                        passed=False,
                        reason=f"{names[0]} is closed: {condition.reason or 'not met'}",
                        parts=(first,),
                    )
                )
        return out

    def _is_open(self, score: Score) -> bool:
        value = score.value
        assert value is not None
        if self.at_least is not None:
            return value >= self.at_least
        if score.passed is not None:
            return score.passed
        return value >= self.condition.range[1]


class Switch(Composite):
    """Scores each sample by the reward that a column names; else by `default`, else abstains.

    Example:
        ``Switch("kind", {"math": equal, "code": cargo_check})``

    The column's value is compared as text.
    """

    name = "switch"

    on: str = field(kw_only=False)
    cases: Mapping[str, Reward] = field(kw_only=False)
    default: Reward | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.cases:
            raise OptionError("an empty Switch scores nothing; give it a case")
        for key, case in self.cases.items():
            need_reward(f"Switch case {key!r}", case)
        object.__setattr__(self, "cases", {str(key): case for key, case in self.cases.items()})

    @property
    def inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        """The column it looks at."""
        return (self.on,)

    def children(self) -> tuple[Reward, ...]:
        """The cases, and the default."""
        last = () if self.default is None else (self.default,)
        return (*self.cases.values(), *last)

    @cached_property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """What any case can give."""
        ranges = [child.range for child in self.children()]
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def plan(self, samples: Sequence[Sample], step: int) -> Plan:
        """Sort the samples by case, score each case on its own."""
        keys = [str(self.column(sample, self.on)) for sample in samples]
        rewards = [self.cases.get(key, self.default) for key in keys]
        chosen = [reward for reward in dict.fromkeys(rewards) if reward is not None]
        answers = yield [
            Request(reward, [s for s, r in zip(samples, rewards, strict=True) if r is reward])
            for reward in chosen
        ]
        scores = {id(r): iter(answer) for r, answer in zip(chosen, answers, strict=True)}
        names = dict(zip(map(id, self.children()), self.part_names, strict=True))
        out = []
        for key, reward in zip(keys, rewards, strict=True):
            if reward is None:
                out.append(Score.abstain(f"no case for {self.on} = {key!r:.80}"))
            else:
                score = next(scores[id(reward)])
                out.append(same(score, (Part(names[id(reward)], 1.0, score),)))
        return out
