"""The reward protocol: the base class of every reward, built-in, custom or composite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from rewardkit import runner
from rewardkit.errors import ColumnLengthError, OptionError, SpecError
from rewardkit.sample import EMPTY, Messages, Sample

if TYPE_CHECKING:
    from rewardkit.compose import WeightedSum
    from rewardkit.score import Score

__all__ = ["Reward", "Traits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a reward's scores depend on; harness, cache and composition read it."""

    deterministic: bool = True
    """The same sample always gets the same score."""

    network: bool = False
    """It calls a service; it may be slow, cost money or fail."""

    group: bool = False
    """A sample's score depends on the other samples of the batch."""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Reward:
    """Scores completions. Immutable, compared by value, picklable.

    To write one as a class, subclass it and define **one** of

    * ``evaluate(sample)``: one sample;
    * ``async aevaluate(sample)``: one sample, awaiting something;
    * ``evaluate_batch(samples)`` or ``async aevaluate_batch(samples)``: all at once, returning
      one score for each.

    Each returns a Score, a float, a bool or None (abstain) for a sample. What they raise becomes
    an ``error`` score of that sample, or of the batch.

    The annotated attributes of the class are its options: a subclass is a frozen, keyword-only
    dataclass without a decorator. Check options in ``__post_init__`` and raise `OptionError`.

    Example:
        >>> class Contains(Reward):
        ...     name = "contains"
        ...     inputs = ("answer",)
        ...     ignore_case: bool = True
        ...
        ...     def evaluate(self, sample):
        ...         text, answer = sample.text, str(self.column(sample, "answer"))
        ...         return answer.lower() in text.lower() if self.ignore_case else answer in text
        >>> Contains().score("It is PARIS.", answer="Paris").value
        1.0
    """

    name: ClassVar[str] = "reward"
    """The name it is loaded by; ``module:Class`` unless the class says otherwise."""

    version: ClassVar[int] = 1
    """Counts the changes of its verdicts; a spec written for another version is refused."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """The lowest and the highest value it can give."""

    traits: ClassVar[Traits] = Traits()

    inputs: ClassVar[tuple[str, ...]] = ()
    """The data-set columns it reads, by the names its code uses."""

    is_composite: ClassVar[bool] = False
    is_batch: ClassVar[bool] = False
    is_async: ClassVar[bool] = False

    label: str = field(default="", kw_only=True)
    """How this one is called in breakdowns and metrics; its name if empty."""

    column_map: Mapping[str, str] = field(default_factory=lambda: EMPTY, kw_only=True)
    """Where the data set calls a column otherwise: ``{"answer": "solution"}``."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__
        if "name" not in own:
            # so that a class found by module and name can be written as a spec
            cls.name = f"{cls.__module__}:{cls.__qualname__}"
        methods = [
            name
            for name in ("evaluate", "aevaluate", "evaluate_batch", "aevaluate_batch", "plan")
            if name in own
        ]
        if len(methods) > 1:
            raise TypeError(f"{cls.__name__} defines {' and '.join(methods)}; accepted is one")
        if methods == ["plan"]:
            cls.is_composite = True
        elif methods and "is_async" not in own:
            cls.is_batch = methods[0].endswith("_batch")
            cls.is_async = methods[0].startswith("a")
        if own.get("__annotations__"):  # new options; otherwise the parent's __init__ serves
            dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)

    def __post_init__(self) -> None:
        for logical in self.column_map:
            if logical not in self.inputs:
                raise OptionError(
                    f"reward {self.name!r} reads no column {logical!r} to map; "
                    f"it reads {', '.join(map(repr, self.inputs)) or 'none'}"
                )

    # what a subclass defines: one of these

    def evaluate(self, sample: Sample) -> Any:
        """Score one sample; see the class."""
        raise TypeError(f"{type(self).__name__} defines no evaluate method")

    async def aevaluate(self, sample: Sample) -> Any:
        """Score one sample, awaiting something; see the class."""
        raise TypeError(f"{type(self).__name__} defines no evaluate method")

    def evaluate_batch(self, samples: Sequence[Sample]) -> Sequence[Any]:
        """Score all samples at once; see the class."""
        raise TypeError(f"{type(self).__name__} defines no evaluate method")

    async def aevaluate_batch(self, samples: Sequence[Sample]) -> Sequence[Any]:
        """Score all samples at once, awaiting something; see the class."""
        raise TypeError(f"{type(self).__name__} defines no evaluate method")

    def plan(self, samples: Sequence[Sample], step: int) -> runner.Plan:
        """Combine other rewards' scores (composites only); see `rewardkit.runner`."""
        raise TypeError(f"{type(self).__name__} is not a composite")

    # what a caller uses

    def score(
        self,
        completion: str | Messages,
        *,
        prompt: str | Messages | None = None,
        completion_ids: Sequence[int] | None = None,
        **columns: Any,
    ) -> Score:
        """Score one completion.

        Args:
            completion: text, or a list of messages.
            prompt: text, messages, or None if unknown.
            completion_ids: token ids, for rewards that count tokens.
            **columns: the values of the data-set columns, by name.

        Raises:
            MissingColumnError: a column that the reward reads was not given.
        """
        sample = Sample(
            completion=completion, prompt=prompt, columns=columns, completion_ids=completion_ids
        )
        return self.score_batch([sample])[0]

    def score_batch(self, samples: Sequence[Sample], *, step: int = 0) -> list[Score]:
        """Score N samples; returns N scores in their order. See `rewardkit.runner.run`."""
        return runner.run(self, samples, step=step)

    async def ascore_batch(self, samples: Sequence[Sample], *, step: int = 0) -> list[Score]:
        """Score N samples without blocking the event loop."""
        return await runner.arun(self, samples, step=step)

    def __call__(
        self,
        *,
        completions: Sequence[str | Messages],
        prompts: Sequence[str | Messages] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None,
        trainer_state: Any = None,
        **columns: Any,
    ) -> list[float | None]:
        """Score a batch as trl's trainers call it: columns as lists, floats or None back.

        Keyword arguments that are no column of this reward are ignored.

        Args:
            completions: N texts or message lists.
            prompts: N prompts.
            completion_ids: N lists of token ids.
            trainer_state: its ``global_step`` drives scheduled weights.
            **columns: each a sequence of N values.

        Returns:
            N values; None where the reward abstained or failed.

        Raises:
            MissingColumnError: a column that the reward reads is not among the arguments.
            ColumnLengthError: a column, or the prompts, is not of length N.
        """
        samples = batch_samples(
            self,
            completions=completions,
            prompts=prompts,
            completion_ids=completion_ids,
            columns=columns,
        )
        step = getattr(trainer_state, "global_step", 0) or 0
        return [score.value for score in self.score_batch(samples, step=step)]

    @property
    def columns(self) -> tuple[str, ...]:
        """The data-set columns it needs, as the data set calls them."""
        if not self.column_map:
            return self.inputs
        return tuple(self.column_map.get(name, name) for name in self.inputs)

    @property
    def reads_all_columns(self) -> bool:
        """Whether its code is handed the whole sample and may look at any column."""
        return False

    def column(self, sample: Sample, name: str) -> Any:
        """Return the value of a column by the name the reward's code uses; None if absent."""
        if self.column_map:
            name = self.column_map.get(name, name)
        return sample.columns.get(name)

    @property
    def metric_name(self) -> str:
        """How breakdowns, logs and trainers call it: the label, else the end of its name."""
        return self.label or self.name.rpartition(":")[2]

    @property
    def __name__(self) -> str:  # trainers read it of every reward
        return self.metric_name

    def children(self) -> tuple[Reward, ...]:
        """The rewards a composite is made of; none for a leaf."""
        return ()

    def leaves(self) -> Iterator[Reward]:
        """The rewards at the bottom of a composite, each once; itself for a leaf."""
        yield from dict.fromkeys(_leaves(self))

    # options, specs, identity

    def options(self) -> dict[str, Any]:
        """The options that differ from their defaults, by name."""
        out = {}
        for f in fields(self):
            if f.init and f.name not in ("label", "column_map"):
                value = getattr(self, f.name)
                default = f.default_factory() if f.default_factory is not MISSING else f.default
                if freeze(value) != freeze(default):
                    out[f.name] = value
        return out

    def to_spec(self) -> dict[str, Any]:
        """Return the mapping from which `rewardkit.load` makes an equal reward.

        Raises:
            SpecError: an option cannot be written as data.
        """
        spec: dict[str, Any] = {"reward": self.name, "version": self.version}
        if options := self.options():
            spec["options"] = {key: plain(value, self, key) for key, value in options.items()}
        return spec | self._spec_tail()

    def _spec_tail(self) -> dict[str, Any]:
        tail: dict[str, Any] = {}
        if self.column_map:
            tail["column_map"] = dict(self.column_map)
        if self.label:
            tail["label"] = self.label
        return tail

    def _arguments(self) -> dict[str, Any]:
        arguments = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return arguments | {"column_map": dict(self.column_map)}

    @cached_property
    def _identity(self) -> Any:
        return (type(self), freeze(self._arguments()))

    @cached_property
    def _hash(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Reward):
            return NotImplemented
        return bool(self._identity == other._identity)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # by arguments, so that caches and compiled patterns are made anew where it is loaded
        return _construct, (type(self), self._arguments())

    def __repr__(self) -> str:
        options = self.options() | self._spec_tail()
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in options.items())})"

    # composition

    def __add__(self, other: object) -> WeightedSum:
        from rewardkit.compose import add

        return add(self, other)  # type: ignore[no-any-return]  # it may be NotImplemented

    def __radd__(self, other: object) -> WeightedSum:
        from rewardkit.compose import add

        if other == 0:  # sum() starts from 0
            return add(self, None)  # type: ignore[no-any-return]
        return NotImplemented

    def __mul__(self, factor: object) -> WeightedSum:
        from rewardkit.compose import multiply

        return multiply(self, factor)  # type: ignore[no-any-return]

    __rmul__ = __mul__

    def __sub__(self, other: object) -> WeightedSum:
        return self + (-1.0) * other if isinstance(other, Reward) else NotImplemented

    def __neg__(self) -> WeightedSum:
        return self * -1.0


def batch_samples(
    reward: Reward,
    *,
    completions: Sequence[str | Messages],
    prompts: Sequence[str | Messages] | None,
    completion_ids: Sequence[Sequence[int]] | None,
    columns: Mapping[str, Any],
) -> list[Sample]:
    """Turn columns, as trainers hand them over, into samples with the columns a reward reads.

    Raises:
        MissingColumnError, ColumnLengthError: as in `Reward.__call__`.
    """
    count = len(completions)
    if prompts is not None:
        _check_length(reward, "prompts", prompts, count)
    if completion_ids is not None:
        _check_length(reward, "completion_ids", completion_ids, count)
    if reward.reads_all_columns:
        names = [
            name
            for name, values in columns.items()
            if isinstance(values, (list, tuple)) and len(values) == count
        ]
    else:
        names = []
    for name in reward.columns:
        if name not in columns:
            raise runner.missing_column(
                reward,
                name,
                [k for k, v in columns.items() if not callable(v)],
                where="the trainer's batch",
            )
        _check_length(reward, name, columns[name], count)
        if name not in names:
            names.append(name)
    rows: Any = zip(*(columns[name] for name in names), strict=True) if names else [()] * count
    return [
        Sample(
            completion=completion,
            prompt=prompt,
            columns=dict(zip(names, row, strict=True)) if names else EMPTY,
            completion_ids=ids,
        )
        for completion, prompt, ids, row in zip(
            completions,
            prompts if prompts is not None else [None] * count,
            completion_ids if completion_ids is not None else [None] * count,
            rows,
            strict=True,
        )
    ]


def _check_length(reward: Reward, name: str, values: Any, count: int) -> None:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise ColumnLengthError(
            f"reward {reward.name!r}: {name!r} is a {type(values).__name__}, accepted is a "
            f"sequence with one value for each of the {count} completions"
        )
    if len(values) != count:
        raise ColumnLengthError(
            f"reward {reward.name!r}: number of {name} ({len(values)}) must match "
            f"number of completions ({count})"
        )


def _leaves(reward: Reward) -> Iterator[Reward]:
    children = reward.children()
    if not children:
        yield reward
    for child in children:
        yield from _leaves(child)


def _construct(cls: type[Reward], arguments: dict[str, Any]) -> Reward:
    return cls(**arguments)


def freeze(value: Any) -> Any:
    """Return a hashable equal of an option, in which a list and a tuple are the same."""
    if isinstance(value, Mapping):
        return tuple(sorted(((str(k), freeze(v)) for k, v in value.items()), key=lambda i: i[0]))
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def plain(value: Any, reward: Reward, option: str) -> Any:
    """Return an option as JSON-able data."""
    if isinstance(value, Reward):
        return value.to_spec()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item, reward, option) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, reward, option) for item in value]
    raise SpecError(
        f"option {option!r} of reward {reward.name!r} is a {type(value).__name__}, which a spec "
        f"cannot hold; accepted are strings, numbers, booleans, lists and mappings of them"
    )
