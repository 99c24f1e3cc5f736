"""The names of rewards: where each comes from, and how it is imported when first used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewardkit.errors import OptionError, PluginConflictError, PluginError, UnknownRewardError
from rewardkit.protocol import Reward

__all__ = ["Entry", "Registrar", "import_target", "reward_factory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One registered reward."""

    name: str
    """The full name, ``namespace/name``; without a namespace for a built-in."""

    target: str
    """Where it is: ``module:attribute``."""

    summary: str
    distribution: str
    """What to pip install for it."""


class Registrar:
    """Takes the rewards of one plugin."""

    def __init__(self, entries: dict[str, Entry], *, namespace: str, distribution: str) -> None:
        self._entries = entries
        self._namespace = namespace
        self._distribution = distribution

    def add(self, name: str, target: str, *, summary: str = "") -> None:
        """Register a reward under the plugin's namespace.

        Args:
            name: a Python identifier, such as ``cargo_check``.
            target: ``module:attribute`` of a `Reward` subclass or a `@reward` function; imported
                when the reward is first built.
            summary: one line for ``rewardkit list``.

        Raises:
            PluginError: the name or the target has the wrong shape.
            PluginConflictError: the name is taken.
        """
        if not (isinstance(name, str) and name.isidentifier()):
            raise PluginError(
                f"{self._distribution} registers a reward named {name!r}; "
                f"accepted is a Python identifier such as 'cargo_check'"
            )
        if not (isinstance(target, str) and target.count(":") == 1 and all(target.split(":"))):
            raise PluginError(
                f"{self._distribution} registers {name!r} as {target!r}; "
                f"accepted is 'module:attribute', such as 'my_plugin.cargo:CargoCheck'"
            )
        full = f"{self._namespace}/{name}" if self._namespace else name
        if full in self._entries:
            other = self._entries[full]
            raise PluginConflictError(
                f"the reward {full!r} is registered twice: by {other.distribution} "
                f"({other.target}) and by {self._distribution} ({target}); rename one of them"
            )
        self._entries[full] = Entry(
            name=full, target=target, summary=summary, distribution=self._distribution
        )


def import_target(target: str) -> Any:
    """Import ``module:attribute`` or ``path/to/file.py:attribute``.

    Raises:
        UnknownRewardError: there is no such module, file or attribute.
    """
    place, _, attribute = target.rpartition(":")
    module = _import_file(place) if place.endswith(".py") else _import_module(place)
    found: Any = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as cause:
            from rewardkit.errors import did_you_mean

            public = [name for name in vars(module) if not name.startswith("_")]
            raise UnknownRewardError(
                f"{place} has no {attribute!r}.{did_you_mean(attribute, public)}"
            ) from cause
    return found


def _import_module(name: str) -> Any:
    import importlib

    if name in sys.modules:
        return sys.modules[name]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as cause:
        parents = {name.rsplit(".", n)[0] for n in range(name.count(".") + 1)}
        if cause.name not in parents:
            raise  # the module is there; something that it imports is not
        raise UnknownRewardError(
            f"there is no module {name!r}; install it, or run where Python finds it "
            f"(a file is named by its path: 'rewards.py:my_reward')"
        ) from cause


def _import_file(place: str) -> Any:
    import importlib.util
    from pathlib import Path

    path = Path(place).expanduser().resolve()
    # The module is named by its path, so that `__module__:__qualname__` of what it defines can
    # be loaded again, here and in a worker process.
    name = str(path)
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise UnknownRewardError(f"there is no file {place!r} (looked for {name})")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def reward_factory(found: Any, *, target: str, source: str = "") -> Reward | type[Reward]:
    """Check that an imported target is something rewards are made of.

    Raises:
        PluginError: it is no `Reward` subclass and no reward.
    """
    if isinstance(found, Reward) or (isinstance(found, type) and issubclass(found, Reward)):
        return found
    error = PluginError(
        f"{target!r}{source} is {found!r:.80} of type {type(found).__name__}; expected a "
        f"rewardkit.Reward subclass or a @rewardkit.reward function"
    )
    # a plain TypeError for those who look for one, with the same text
    raise error from TypeError(str(error))


def build(factory: Reward | type[Reward], settings: Mapping[str, Any]) -> Reward:
    """Make a reward of a class or a function reward with options.

    Raises:
        OptionError: an option is unknown, missing or refused.
    """
    if isinstance(factory, Reward):
        if not settings:
            return factory
        if not hasattr(factory, "function"):
            raise OptionError(f"{factory!r} is a finished reward and takes no options")
        configured: Reward = factory(**settings)  # type: ignore[assignment]
        return configured
    from dataclasses import MISSING, fields

    from rewardkit.errors import did_you_mean

    known = [f for f in fields(factory) if f.init]
    names = [f.name for f in known]
    for option in settings:
        if option not in names:
            own = ", ".join(map(repr, names))
            raise OptionError(
                f"reward {factory.name!r} has no option {option!r}; it has {own}."
                f"{did_you_mean(option, names)}"
            )
    for f in known:
        needed = f.default is MISSING and f.default_factory is MISSING
        if needed and f.name not in settings:
            raise OptionError(f"reward {factory.name!r} needs the option {f.name!r}")
    try:
        return factory(**settings)
    except (TypeError, AttributeError) as cause:
        raise OptionError(f"reward {factory.name!r} refuses {dict(settings)!r}: {cause}") from cause
