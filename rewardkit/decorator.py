"""`@reward`: a function as a reward."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, overload

from rewardkit.errors import OptionError, SpecError, did_you_mean
from rewardkit.protocol import Reward, Traits, freeze, plain
from rewardkit.sample import Sample

__all__ = ["FunctionReward", "reward"]

_FIELDS: dict[str, Callable[[Sample], Any]] = {
    "completion": attrgetter("text"),
    "prompt": attrgetter("prompt_text"),
    "completion_ids": attrgetter("completion_ids"),
    "sample": lambda sample: sample,
}
_BATCH_FIELDS = {
    "completions": _FIELDS["completion"],
    "prompts": _FIELDS["prompt"],
    "completion_ids": _FIELDS["completion_ids"],
    "samples": _FIELDS["sample"],
}


@overload
def reward(function: Callable[..., Any], /) -> FunctionReward: ...
@overload
def reward(
    *,
    name: str | None = ...,
    version: int = ...,
    range: tuple[float, float] = ...,
    batch: bool = ...,
    deterministic: bool = ...,
    network: bool = ...,
    group: bool | None = ...,
) -> Callable[[Callable[..., Any]], FunctionReward]: ...


def reward(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    version: int = 1,
    range: tuple[float, float] = (0.0, 1.0),
    batch: bool = False,
    deterministic: bool = True,
    network: bool = False,
    group: bool | None = None,
) -> FunctionReward | Callable[[Callable[..., Any]], FunctionReward]:
    """Make a reward of a function, sync or async.

    Parameters before the ``*`` are filled by name: ``completion`` (the text), ``prompt`` (the
    text), ``completion_ids``, ``sample`` (the whole `Sample`); any other name is a data-set
    column, which must exist unless the parameter has a default. Parameters after the ``*`` are
    options: calling the reward with some gives a copy with these options.

    Args:
        function: returns a Score, float, bool or None (abstain); with ``batch=True`` a sequence
            of these, one for each completion.
        name: the name it is loaded by; ``module:function`` if None.
        version: raise it when verdicts change.
        range: the lowest and the highest value it can give.
        batch: the function takes all samples at once: ``completions``, ``prompts``,
            ``completion_ids``, ``samples``, and columns as lists.
        deterministic: the same sample always gets the same score.
        network: the function calls a service.
        group: scores depend on the other samples of the batch; by default if `batch`.

    Raises:
        OptionError: the signature reads no completion, or has ``*args`` or ``**kwargs``.

    Example:
        >>> @reward
        ... def contains(completion: str, answer: str, *, ignore_case: bool = True) -> bool:
        ...     if ignore_case:
        ...         completion, answer = completion.lower(), answer.lower()
        ...     return answer in completion
        >>> contains.score("It is PARIS.", answer="Paris").passed
        True
        >>> contains(ignore_case=False).score("It is PARIS.", answer="Paris").passed
        False
    """

    def make(function: Callable[..., Any]) -> FunctionReward:
        if not callable(function):
            raise OptionError(f"@reward takes a function, got {function!r}")
        low, high = range
        if not low <= high:
            raise OptionError(f"@reward range={range!r}: the lower end must come first")
        return FunctionReward(
            function=function,
            batch=batch,
            facts=Facts(
                name=name or _reference(function),
                version=version,
                range=(float(low), float(high)),
                traits=Traits(
                    deterministic=deterministic,
                    network=network,
                    group=batch if group is None else group,
                ),
            ),
        )

    return make if function is None else make(function)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the decorator was told about a function."""

    name: str
    version: int
    range: tuple[float, float]
    traits: Traits


class FunctionReward(Reward):
    """A reward made by `reward`. Calling it with options gives a copy with these options."""

    function: Callable[..., Any]
    facts: Facts
    batch: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        signature = self._signature
        super().__post_init__()
        for option in self.given:
            if option not in signature.options:
                accepted = ", ".join(map(repr, signature.options)) or "none"
                raise OptionError(
                    f"reward {self.name!r} has no option {option!r}; it has {accepted}."
                    f"{did_you_mean(option, signature.options)}"
                )

    # the class attributes of other rewards are this one's own facts

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name it is loaded by."""
        return self.facts.name

    @property
    def version(self) -> int:  # type: ignore[override]
        """The version of its verdicts."""
        return self.facts.version

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        return self.facts.range

    @property
    def traits(self) -> Traits:  # type: ignore[override]
        """What its scores depend on."""
        return self.facts.traits

    @property
    def inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns its function needs."""
        return self._signature.required

    @property
    def is_batch(self) -> bool:  # type: ignore[override]
        """Whether its function takes all samples at once."""
        return self.batch

    @property
    def is_async(self) -> bool:  # type: ignore[override]
        """Whether its function is a coroutine function."""
        return self._signature.is_async

    @property
    def reads_all_columns(self) -> bool:
        """True if the function takes the sample, or has a column it can do without."""
        return self._signature.reads_all_columns

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(_unwrap(self.function)) or "").partition("\n")[0]

    def options(self) -> dict[str, Any]:
        """The options that were given."""
        return dict(self.given)

    def to_spec(self) -> dict[str, Any]:
        """Return the spec; see `Reward.to_spec`.

        Raises:
            SpecError: the function cannot be found by its name in another process.
        """
        if ":" in self.name:
            module, _, attribute = self.name.rpartition(":")
            if module == "__main__" or "<" in attribute:
                raise SpecError(
                    f"reward {self.name!r} lives in a script or inside a function, where a spec "
                    f"cannot find it again; move it to the top level of a module"
                )
        spec: dict[str, Any] = {"reward": self.name, "version": self.version}
        if self.given:
            spec["options"] = {k: plain(v, self, k) for k, v in self.given.items()}
        return spec | self._spec_tail()

    def __call__(self, **kwargs: Any) -> Any:
        """With ``completions=…`` score a batch as trl calls it, else set options."""
        if "completions" in kwargs:
            return super().__call__(**kwargs)
        settings = {key: kwargs.pop(key) for key in ("label", "column_map") if key in kwargs}
        return type(self)(**(self._arguments() | settings | {"given": dict(self.given) | kwargs}))

    def evaluate(self, sample: Sample) -> Any:
        """Call the function on one sample."""
        return self.function(*[get(sample) for get in self._getters], **self._keywords)

    # The other three ways to call a function. They are assigned below the class: a class may
    # define one only, and which one applies is known when the function is.

    @cached_property
    def _keywords(self) -> dict[str, Any]:
        missing = [name for name in self._signature.needed_options if name not in self.given]
        if missing:
            raise OptionError(
                f"reward {self.name!r} needs the option {missing[0]!r}: "
                f"{self.metric_name}({missing[0]}=...)"
            )
        return dict(self.given)

    @cached_property
    def _getters(self) -> list[Callable[[Sample], Any]]:
        known = _BATCH_FIELDS if self.batch else _FIELDS
        return [known.get(name) or self._getter(name) for name in self._signature.positional]

    def _getter(self, name: str) -> Callable[[Sample], Any]:
        column = self.column_map.get(name, name)
        if name in self._signature.required:
            return lambda sample: sample.columns[column]
        default = self._signature.defaults[name]
        return lambda sample: sample.columns.get(column, default)

    @cached_property
    def _signature(self) -> _Signature:
        return _Signature(self.function, self.name, batch=self.batch)

    @cached_property
    def _identity(self) -> Any:
        return (self.function, self.facts, freeze([self.given, self.label, self.column_map]))

    def __reduce__(self) -> tuple[Any, ...]:
        # The module's attribute is this reward, not the function, so the function itself does
        # not pickle: the place where it is found does.
        tail = {"given": dict(self.given), "label": self.label}
        tail["column_map"] = dict(self.column_map)
        return _find_again, (_reference(self.function), tail)

    def __repr__(self) -> str:
        options = dict(self.given) | self._spec_tail()
        return f"{self.metric_name}({', '.join(f'{k}={v!r}' for k, v in options.items())})"


def _call_batch(self: FunctionReward, samples: Sequence[Sample]) -> Any:
    columns = [[get(sample) for sample in samples] for get in self._getters]
    return self.function(*columns, **self._keywords)


async def _acall(self: FunctionReward, sample: Sample) -> Any:
    return await self.evaluate(sample)


async def _acall_batch(self: FunctionReward, samples: Sequence[Sample]) -> Any:
    return await _call_batch(self, samples)


FunctionReward.evaluate_batch = _call_batch  # type: ignore[method-assign, assignment]
FunctionReward.aevaluate = _acall  # type: ignore[method-assign, assignment]
FunctionReward.aevaluate_batch = _acall_batch  # type: ignore[method-assign, assignment]


class _Signature:
    """How the parameters of a reward function are filled."""

    def __init__(self, function: Callable[..., Any], name: str, *, batch: bool) -> None:
        known = _BATCH_FIELDS if batch else _FIELDS
        called = function if not isinstance(function, functools.partial) else function.func
        self.is_async = inspect.iscoroutinefunction(called) or inspect.iscoroutinefunction(
            getattr(called, "__call__", None)  # noqa: B004 - an object with an async __call__
        )
        self.positional: list[str] = []
        self.options: list[str] = []
        self.needed_options: list[str] = []
        self.defaults: dict[str, Any] = {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise OptionError(
                    f"reward function {name!r} takes {parameter}: parameters are filled by name, "
                    f"so name the columns it reads, or take 'sample' for all of them"
                )
            if parameter.kind is parameter.KEYWORD_ONLY:
                self.options.append(parameter.name)
                if parameter.default is parameter.empty:
                    self.needed_options.append(parameter.name)
            else:
                self.positional.append(parameter.name)
                if parameter.default is not parameter.empty:
                    self.defaults[parameter.name] = parameter.default
        columns = [p for p in self.positional if p not in known]
        self.required = tuple(c for c in columns if c not in self.defaults)
        whole = "samples" if batch else "sample"
        self.reads_all_columns = whole in self.positional or len(columns) > len(self.required)
        first = "completions" if batch else "completion"
        if not {first, whole, "completion_ids"} & set(self.positional):
            other = _FIELDS if batch else _BATCH_FIELDS
            hint = ""
            if set(other) & set(self.positional) - set(known):
                hint = (
                    f" It names {'single samples' if batch else 'a batch'}: set batch={not batch}."
                )
            raise OptionError(
                f"reward function {name!r} reads no completion; it must have a parameter "
                f"{first!r} or {whole!r} before any '*', got {self.positional}.{hint}"
            )


def _unwrap(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _reference(function: Callable[..., Any]) -> str:
    """Return ``module:qualified.name``; for a callable object, that of its class."""
    inner = _unwrap(function)
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{named.__module__}:{named.__qualname__}"


def _find_again(reference: str, settings: dict[str, Any]) -> FunctionReward:
    from rewardkit.registry import import_target

    found = import_target(reference)
    if not isinstance(found, FunctionReward):
        raise SpecError(f"{reference!r} is a {type(found).__name__}, expected a @reward function")
    return type(found)(**(found._arguments() | settings))
