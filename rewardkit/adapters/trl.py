"""A composite reward as trl's ``reward_funcs`` and ``reward_weights``.

Any reward is a trl reward function as it stands; then trl sees and logs one number. Here each
term of a sum becomes a function of its own, so that trl logs every component by name and its
weight can change during training.

How the three states of a score map to trl:

* *scored*: the value;
* *abstained*: None for that term; trl leaves it out of the row's sum;
* *error* of any needed term: None for **every** term of that row. trl then gives the row
  advantage 0. With None for the failed term alone, trl would sum the rest to a silently deflated
  reward.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from rewardkit.compose import WeightedMean, WeightedSum
from rewardkit.protocol import Reward, batch_samples
from rewardkit.sample import Messages
from rewardkit.score import Score

__all__ = ["RewardFuncs", "TermFunction", "reward_funcs"]


def reward_funcs(reward: Reward) -> RewardFuncs:
    """Return the functions and weights of a reward for ``GRPOTrainer``.

    A sum gives one function for each term; any other reward gives one function of weight 1.

    Example:
        ::

            funcs = reward_funcs(0.2 * fmt + 1.0 * answer)
            config = GRPOConfig(reward_weights=funcs.weights, ...)
            trainer = GRPOTrainer(model, reward_funcs=funcs.functions, args=config, ...)
    """
    return RewardFuncs(reward)


class RewardFuncs:
    """A reward, taken apart for trl. Pickles."""

    def __init__(self, reward: Reward) -> None:
        self.reward = reward
        self._scored: _Scored | None = None
        # a mean's weights depend on which terms scored, so trl cannot apply them
        self._sum = (
            reward
            if isinstance(reward, WeightedSum) and not isinstance(reward, WeightedMean)
            else None
        )
        names = self._sum.part_names if self._sum else (reward.metric_name,)
        self.functions: list[Callable[..., list[float | None]]] = [
            TermFunction(self, index, name) for index, name in enumerate(names)
        ]

    @property
    def is_sum(self) -> bool:
        """Whether the terms have functions of their own."""
        return self._sum is not None

    @property
    def weights(self) -> list[float]:
        """The weights at the start of training, in the order of the functions."""
        return self.weights_at(0)

    def weights_at(self, step: int) -> list[float]:
        """Return the weights at a training step; set ``trainer.reward_weights`` to them."""
        return list(self._sum.weights(step)) if self._sum else [1.0]

    def scores(
        self,
        completions: Sequence[str | Messages],
        prompts: Sequence[str | Messages] | None,
        completion_ids: Sequence[Sequence[int]] | None,
        columns: dict[str, Any],
        trainer_state: Any,
    ) -> list[Score]:
        """Score a batch, or return what the last call found for the very same batch.

        trl calls the functions one after the other with the same list objects, which is how the
        same batch is told; it is kept, so that identities are not reused.
        """
        state = getattr(trainer_state, "global_step", 0) or 0
        last = self._scored
        if last and last.holds(completions, prompts, columns, state):
            return last.scores
        samples = batch_samples(
            self.reward,
            completions=completions,
            prompts=prompts,
            completion_ids=completion_ids,
            columns=columns,
        )
        scores = self.reward.score_batch(samples, step=state)
        self._scored = _Scored(completions, prompts, columns, state, scores)
        return scores

    def term_values(self, scores: Sequence[Score], index: int) -> list[float | None]:
        """Return one term's values; None for a whole row whose total is in error."""
        if self._sum is None:
            return [score.value for score in scores]
        return [
            None if score.status == "error" else self._sum.term_value(score.parts[index].score)
            for score in scores
        ]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_scored": None}


class TermFunction:
    """One term of a sum as a trl reward function."""

    def __init__(self, funcs: RewardFuncs, index: int, name: str) -> None:
        self._funcs = funcs
        self._index = index
        self.__name__ = name

    def __call__(
        self,
        *,
        completions: Sequence[str | Messages],
        prompts: Sequence[str | Messages] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None,
        trainer_state: Any = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the term's value for each completion; see `rewardkit.protocol.Reward`."""
        scores = self._funcs.scores(completions, prompts, completion_ids, columns, trainer_state)
        if log_metric is not None and self._index == 0:
            _log(scores, log_metric, logged_by_trl=self._funcs.is_sum)
        return self._funcs.term_values(scores, self._index)

    def __repr__(self) -> str:
        return f"<trl reward function {self.__name__!r} of {self._funcs.reward!r}>"


class _Scored:
    """The last batch, and what it scored."""

    def __init__(
        self,
        completions: Any,
        prompts: Any,
        columns: dict[str, Any],
        step: int,
        scores: list[Score],
    ) -> None:
        self.prompts = prompts
        self.completions = list(completions)  # a copy: a list that was changed is another batch
        self.columns = columns
        self.step = step
        self.scores = scores

    def holds(self, completions: Any, prompts: Any, columns: dict[str, Any], step: int) -> bool:
        return (
            self.step == step
            and self.prompts is prompts
            and len(self.completions) == len(completions)
            and all(map(operator.is_, self.completions, completions))
            and self.columns.keys() == columns.keys()
            and all(self.columns[name] is values for name, values in columns.items())
        )


def _log(
    scores: Sequence[Score], log: Callable[[str, float], None], *, logged_by_trl: bool
) -> None:
    """Log what trl does not: the share of masked rows, and the means of nested parts."""
    if not scores:
        return
    masked = sum(score.status == "error" for score in scores)
    log("reward_masked_share", masked / len(scores))
    sums: dict[str, list[float]] = {}
    for score in scores:
        for path, part in score.walk():
            # the functions' own means, the top level of a sum, trl logs itself
            if part.value is not None and ("/" in path or not logged_by_trl):
                sums.setdefault(path, []).append(part.value)
    for path, values in sums.items():
        log(f"rewards/{path}/mean", sum(values) / len(values))
