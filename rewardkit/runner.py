"""Runs a reward over a batch: isolation of rows, sharing of common parts, sync and async.

A leaf reward has one of four methods (see `rewardkit.protocol.Reward`) and is called here. A
composite has a *plan*: a generator that yields requests, is sent their scores, and returns the
scores of the composite. The same plan is driven here by a loop or by an event loop, so the rules
of composition are written once, with no knowledge of either.

Within one pass a reward runs at most once on a sample, however often the composite names it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rewardkit.errors import MissingColumnError, ReturnValueError, RewardKitError
from rewardkit.score import Score, as_score

if TYPE_CHECKING:
    import asyncio

    from rewardkit.protocol import Reward
    from rewardkit.sample import Sample

__all__ = ["ASYNC_LIMIT", "Plan", "Request", "arun", "run"]

ASYNC_LIMIT = 64
"""Calls of one async reward that are in flight at the same time."""


class Request(NamedTuple):
    """What a plan asks for: these samples' scores by this reward."""

    reward: Reward
    samples: Sequence[Sample]


Plan = Generator[Sequence[Request], list[list[Score]], list[Score]]


def run(reward: Reward, samples: Sequence[Sample], *, step: int = 0) -> list[Score]:
    """Score a batch and block until all of it is scored.

    An async reward runs in an event loop of its own; where the calling thread already runs one
    (Jupyter, an async trainer), in a helper thread. `arun` is the better call there.

    Args:
        reward: a leaf or a composite.
        samples: the batch, N samples.
        step: the training step, which scheduled weights read.

    Returns:
        N scores, in the order of the samples.

    Raises:
        MissingColumnError: a sample lacks a column that the reward reads.
        ReturnValueError, ReturnTypeError: the reward's code returned no scores.
    """
    _check_columns(reward, samples)
    if not reward.is_async:
        return _SyncPass(step).score(reward, samples)
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_AsyncPass(step).score(reward, samples))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, "rewardkit") as pool:
        return pool.submit(asyncio.run, _AsyncPass(step).score(reward, samples)).result()


async def arun(reward: Reward, samples: Sequence[Sample], *, step: int = 0) -> list[Score]:
    """Score a batch without blocking the event loop; arguments and errors as in `run`.

    Async rewards run concurrently, at most `ASYNC_LIMIT` calls of each; sync ones in threads.
    """
    _check_columns(reward, samples)
    return await _AsyncPass(step).score(reward, samples)


def _check_columns(reward: Reward, samples: Sequence[Sample]) -> None:
    columns = reward.columns
    if not columns:
        return
    for row, sample in enumerate(samples):
        for column in columns:
            if column not in sample.columns:
                raise missing_column(reward, column, sample.columns, where=f"sample {row}")


def missing_column(
    reward: Reward, column: str, present: Iterable[str], *, where: str = "the data"
) -> MissingColumnError:
    """Return the error for a column that a reward reads and `where` does not have."""
    names = ", ".join(sorted(map(repr, present))) or "none"
    readers = [leaf for leaf in reward.leaves() if column in leaf.columns] or [reward]
    reader = readers[0]
    logical = next((k for k, v in reader.column_map.items() if v == column), column)
    return MissingColumnError(
        f"reward {reader.name!r} reads the column {column!r}, which {where} does not have; "
        f"present: {names}. Rename the column, or map it: column_map={{{logical!r}: '<yours>'}}"
    )


class _SyncPass:
    """One scoring pass of a reward that has no async part."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.known: dict[Any, dict[int, Score]] = {}

    def score(self, reward: Reward, samples: Sequence[Sample]) -> list[Score]:
        if not reward.is_composite:
            return score_leaf(reward, samples)
        plan = reward.plan(samples, self.step)
        try:
            requests = next(plan)
            while True:
                requests = plan.send([self.once(*request) for request in requests])
        except StopIteration as stop:
            scores: list[Score] = stop.value
            return scores

    def once(self, reward: Reward, samples: Sequence[Sample]) -> list[Score]:
        known = self.known.setdefault(_key(reward, samples), {})
        todo = [sample for sample in samples if id(sample) not in known] if known else samples
        if todo:
            for sample, score in zip(todo, self.score(reward, todo), strict=True):
                known[id(sample)] = score
        return [known[id(sample)] for sample in samples]


class _AsyncPass:
    """One scoring pass inside an event loop; the terms of a composite run side by side."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.known: dict[Any, dict[int, Score]] = {}
        self.locks: dict[Any, asyncio.Lock] = {}

    async def score(self, reward: Reward, samples: Sequence[Sample]) -> list[Score]:
        import asyncio

        if not reward.is_composite:
            if reward.is_async:
                return await _ascore_leaf(reward, samples)
            return await asyncio.to_thread(score_leaf, reward, samples)
        plan = reward.plan(samples, self.step)
        try:
            requests = next(plan)
            while True:
                answers = await asyncio.gather(*(self.once(*request) for request in requests))
                requests = plan.send(list(answers))
        except StopIteration as stop:
            scores: list[Score] = stop.value
            return scores

    async def once(self, reward: Reward, samples: Sequence[Sample]) -> list[Score]:
        import asyncio

        key = _key(reward, samples)
        known = self.known.setdefault(key, {})
        # two terms may ask for the same reward at the same time: the second waits and finds it
        async with self.locks.setdefault(key, asyncio.Lock()):
            todo = [sample for sample in samples if id(sample) not in known]
            if todo:
                for sample, score in zip(todo, await self.score(reward, todo), strict=True):
                    known[id(sample)] = score
        return [known[id(sample)] for sample in samples]


def _key(reward: Reward, samples: Sequence[Sample]) -> Any:
    # a group reward's scores hold only for the batch it saw
    return (reward, tuple(map(id, samples))) if reward.traits.group else reward


def score_leaf(reward: Reward, samples: Sequence[Sample]) -> list[Score]:
    """Call a sync leaf on each sample, or once on all; what it raises becomes error scores."""
    name = reward.name
    if reward.is_batch:
        try:
            returned = reward.evaluate_batch(samples)
        except (KeyboardInterrupt, GeneratorExit, RewardKitError):
            raise
        except BaseException as cause:  # noqa: BLE001 - time-outs of libraries derive from it
            return [_failed(reward, cause)] * len(samples)
        return _as_scores(reward, returned, len(samples))
    evaluate = reward.evaluate
    scores = []
    for sample in samples:
        try:
            value = evaluate(sample)
        except (KeyboardInterrupt, GeneratorExit, RewardKitError):
            raise
        except BaseException as cause:  # noqa: BLE001
            value = _failed(reward, cause)
        scores.append(value if type(value) is Score else as_score(value, name=name))
    return scores


async def _ascore_leaf(reward: Reward, samples: Sequence[Sample]) -> list[Score]:
    import asyncio

    stops = (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, RewardKitError)
    if reward.is_batch:
        try:
            returned = await reward.aevaluate_batch(samples)
        except stops:
            raise
        except BaseException as cause:  # noqa: BLE001
            return [_failed(reward, cause)] * len(samples)
        return _as_scores(reward, returned, len(samples))

    limit = asyncio.Semaphore(ASYNC_LIMIT)

    async def one(sample: Sample) -> Score:
        async with limit:
            try:
                value = await reward.aevaluate(sample)
            except stops:
                raise
            except BaseException as cause:  # noqa: BLE001
                return _failed(reward, cause)
        return as_score(value, name=reward.name)

    return list(await asyncio.gather(*map(one, samples)))


def _as_scores(reward: Reward, returned: Any, count: int) -> list[Score]:
    try:
        values = list(returned)
    except TypeError:
        values = None
    if values is None or isinstance(returned, (str, bytes)):
        raise ReturnValueError(
            f"batch reward {reward.name!r} returned {type(returned).__name__}, "
            f"accepted is a sequence with one score for each of the {count} completions"
        )
    if len(values) != count:
        raise ReturnValueError(
            f"batch reward {reward.name!r} returned {len(values)} scores "
            f"for {count} completions; it must return one for each, in order"
        )
    return [as_score(value, name=reward.name) for value in values]


def _failed(reward: Reward, cause: BaseException) -> Score:
    return Score.error(f"{reward.name} raised {type(cause).__name__}", cause=cause)
