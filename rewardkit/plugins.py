"""Finds, loads and isolates plugins.

Installed distributions announce plugins as entry points of the group ``rewardkit``. Reading the
announcements imports nothing; a plugin is loaded when one of its rewards is asked for, or when
all are listed. One that is broken is left out with one warning, and its cause is raised when it
is asked for by name.

Environment:
    ``REWARDKIT_PLUGINS``: comma-separated allowlist of plugin names; empty allows none.
    ``REWARDKIT_STRICT_PLUGINS``: ``1`` raises where a broken plugin would be left out.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pluggy

from rewardkit import hookspecs
from rewardkit.errors import (
    PluginConflictError,
    PluginError,
    PluginWarning,
    UnknownRewardError,
    did_you_mean,
)
from rewardkit.registry import Entry, Registrar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "FoundPlugin", "Plugins", "plugins"]

GROUP = "rewardkit"

FIRST_PARTY = {
    "judge": "rewardkit-plugin-judge",
    "math": "rewardkit-plugin-math",
    "rust": "rewardkit-plugin-rust",
    "trainers": "rewardkit-trainers",
}
"""What to pip install for a namespace that we know of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlugin:
    """What the metadata of an installed distribution says of a plugin; nothing is imported."""

    name: str
    """The entry point's name: the namespace of its rewards."""

    value: str
    """The hooks module."""

    distribution: str
    version: str
    entry_point: EntryPoint


class Plugins:
    """The plugins of one process. Use `plugins()`; make one only to test discovery."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._entries: dict[str, Entry] = {}
        self._broken: dict[str, PluginError] = {}
        self._loaded: set[str] = set()
        self._found: list[FoundPlugin] | None = None
        from rewardkit.builtins import hooks

        self._register("", hooks, "rewardkit")

    def found(self) -> list[FoundPlugin]:
        """Read which plugins are installed, sorted by name, without importing any.

        The same announcement read twice (an editable install beside a left-over egg-info) is one
        plugin. A failed read is tried again at the next call.
        """
        with self._lock:
            if self._found is None:
                from importlib.metadata import entry_points

                unique: dict[tuple[str, str, str], FoundPlugin] = {}
                for point in entry_points(group=GROUP):
                    dist = point.dist
                    name = dist.metadata["Name"] if dist else "unknown"
                    unique.setdefault(
                        (point.name, point.value, name),
                        FoundPlugin(
                            name=point.name,
                            value=point.value,
                            distribution=name,
                            version=dist.version if dist else "",
                            entry_point=point,
                        ),
                    )
                self._found = sorted(unique.values(), key=lambda p: (p.name, p.distribution))
            return self._found

    def allowed(self, name: str) -> bool:
        """Whether the allowlist in ``REWARDKIT_PLUGINS`` lets a plugin load."""
        listed = os.environ.get("REWARDKIT_PLUGINS")
        return listed is None or name in {part.strip() for part in listed.split(",")}

    def load(self, name: str) -> None:
        """Load the plugin of that name, once.

        Raises:
            PluginError: it is broken, claimed twice, or not on the allowlist.
            UnknownRewardError: no installed distribution announces it.
        """
        with self._lock:
            if name in self._broken:
                raise self._broken[name]
            if name in self._loaded:
                return
            claims = [plugin for plugin in self.found() if plugin.name == name]
            if not claims:
                raise UnknownRewardError(self._how_to_install(name))
            if not self.allowed(name):
                raise PluginError(
                    f"the plugin {name!r} is installed but not on the allowlist "
                    f"REWARDKIT_PLUGINS={os.environ['REWARDKIT_PLUGINS']!r}; add it there"
                )
            self._load(claims)

    def load_all(self) -> None:
        """Load every allowed plugin; a broken one is left out with one warning.

        Raises:
            PluginError: a plugin is broken and ``REWARDKIT_STRICT_PLUGINS`` is ``1``.
        """
        for name in dict.fromkeys(plugin.name for plugin in self.found()):
            if self.allowed(name) and name not in self._broken:
                try:
                    self.load(name)
                except PluginError as error:
                    if os.environ.get("REWARDKIT_STRICT_PLUGINS") == "1":
                        raise
                    warnings.warn(str(error), PluginWarning, stacklevel=2)

    def broken(self) -> dict[str, PluginError]:
        """The plugins that were tried and failed, with why."""
        return dict(self._broken)

    def entries(self) -> dict[str, Entry]:
        """The rewards of the built-ins and of the plugins loaded so far, by full name."""
        return dict(self._entries)

    def entry(self, name: str) -> Entry:
        """Return where a reward comes from, loading its plugin if need be.

        Raises:
            UnknownRewardError: nothing provides it; the message says what is near or what to
                install.
            PluginError: its plugin is broken.
        """
        namespace, slash, _ = name.rpartition("/")
        if slash:
            self.load(namespace)
        if name not in self._entries:
            raise UnknownRewardError(self._unknown(name, namespace))
        return self._entries[name]

    def register_commands(self, cli: Any) -> None:
        """Let every plugin add its commands to the command line's root group."""
        self.load_all()
        for name in sorted(self._loaded):
            others = [p for n, p in self._manager.list_name_plugin() if n != name]
            caller = self._manager.subset_hook_caller("rewardkit_register_commands", others)
            try:
                caller(cli=cli)
            except Exception as cause:  # noqa: BLE001 - a plugin may raise anything
                warnings.warn(
                    f"the commands of plugin {name!r} are left out: {_say(cause)}",
                    PluginWarning,
                    stacklevel=2,
                )

    def _load(self, claims: list[FoundPlugin]) -> None:
        plugin = claims[0]
        try:
            if len(claims) > 1:
                owners = " and ".join(f"{p.distribution} ({p.value})" for p in claims)
                raise PluginConflictError(
                    f"the plugin name {plugin.name!r} is claimed by {owners}; uninstall one"
                )
            if not plugin.name.isidentifier():
                raise PluginError(
                    f"the plugin name {plugin.name!r} of {plugin.distribution} is no identifier, "
                    f"so it cannot be a namespace; its entry point must be renamed"
                )
            # pluggy's own loader stops at the first broken plugin, hence one at a time
            module = plugin.entry_point.load()
            self._register(plugin.name, module, plugin.distribution)
        except PluginError as error:
            self._broken[plugin.name] = error
            raise
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as cause:
            failure = PluginError(
                f"plugin {plugin.name!r} of {plugin.distribution} {plugin.version} "
                f"(entry point {plugin.name} = {plugin.value}) failed to load because "
                f"{_say(cause)}. Mend or update it: pip install -U {plugin.distribution}; or "
                f"leave it out: pip uninstall {plugin.distribution}"
            )
            failure.__cause__ = cause
            self._broken[plugin.name] = failure
            raise failure from cause
        self._loaded.add(plugin.name)

    def _register(self, name: str, module: Any, distribution: str) -> None:
        """Register a hooks module with pluggy and take its rewards; all of it or nothing."""
        new: dict[str, Entry] = {}
        key = name or "builtins"
        self._manager.register(module, key)
        try:
            others = [p for n, p in self._manager.list_name_plugin() if n != key]
            caller = self._manager.subset_hook_caller("rewardkit_register_rewards", others)
            caller(registry=Registrar(new, namespace=name, distribution=distribution))
            self._manager.check_pending()
        except BaseException:
            self._manager.unregister(name=key)
            raise
        self._entries.update(new)

    def _how_to_install(self, namespace: str) -> str:
        names = sorted({plugin.name for plugin in self.found()})
        known = FIRST_PARTY.get(namespace)
        if known:
            return (
                f"no installed plugin provides {namespace!r}; it comes with {known}: "
                f"pip install {known}"
            )
        near = did_you_mean(namespace, [*names, *FIRST_PARTY])
        return (
            f"no installed plugin provides the namespace {namespace!r}; installed are "
            f"{', '.join(map(repr, names)) or 'none'}.{near} If a distribution provides it, "
            f"pip install it (by custom rewardkit-plugin-{namespace})"
        )

    def _unknown(self, name: str, namespace: str) -> str:
        if namespace:
            known = [entry for entry in self._entries if entry.startswith(f"{namespace}/")]
        else:
            for plugin in self.found():
                if self.allowed(plugin.name):
                    try:
                        self.load(plugin.name)
                    except PluginError:
                        continue  # its cause is told to whoever asks for it
            known = list(self._entries)
            full = [entry for entry in known if entry.endswith(f"/{name}")]
            if full:
                return f"unknown reward {name!r}. Did you mean {full[0]!r}?"
        return (
            f"unknown reward {name!r}.{did_you_mean(name, known)} Known are "
            f"{', '.join(sorted(known)) or 'none'}; a custom one is named 'module:attribute' or "
            f"'file.py:attribute'"
        )


def _say(cause: BaseException) -> str:
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__


@cache
def plugins() -> Plugins:
    """Return this process's plugins."""
    return Plugins()


def owners_of(package: str) -> Iterator[str]:
    """Yield the installed distributions that own an import package of that name."""
    from importlib.metadata import packages_distributions

    yield from sorted(set(packages_distributions().get(package, [])))
