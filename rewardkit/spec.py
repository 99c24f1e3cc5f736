"""Specs: rewards as data, and `load` and `dump` between the two.

A spec is one of

* a name: ``"countdown"``, ``"rust/cargo_check"``, ``"my_pkg.rewards:contains"``,
  ``"rewards.py:contains"``;
* a path of a ``.toml``, ``.yaml``, ``.yml`` or ``.json`` file that holds a mapping;
* a mapping: of a leaf ``{"reward": name, "options": {…}, "column_map": {…}, "label": …,
  "version": n}``, of a composite ``{"type": "weighted_sum", "terms": [{"weight": 0.2, "reward":
  spec}, …]}``.

``load(dump(reward)) == reward`` always holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from rewardkit import compose
from rewardkit.errors import OptionError, PluginError, SpecError, did_you_mean
from rewardkit.plugins import plugins
from rewardkit.protocol import Reward
from rewardkit.registry import build, import_target, reward_factory
from rewardkit.schedule import schedule_from_spec

__all__ = ["SCHEMA_VERSION", "dump", "load"]

SCHEMA_VERSION = 1

_FILES = (".toml", ".yaml", ".yml", ".json")
_LEAF_KEYS = ("reward", "version", "options", "column_map", "label", "schema_version")
_COMPOSITES: dict[str, type[compose.Composite]] = {
    kind.name: kind
    for kind in (
        compose.Clip,
        compose.Gate,
        compose.Max,
        compose.Min,
        compose.Product,
        compose.Scale,
        compose.Switch,
        compose.WeightedMean,
        compose.WeightedSum,
    )
}


def load(spec: str | Path | Mapping[str, Any] | Reward, **options: Any) -> Reward:
    """Make a reward of a spec.

    Args:
        spec: a name, a path, a mapping (see the module), or a reward, which is returned.
        **options: for a name: the reward's options, and ``label`` and ``column_map``.

    Raises:
        UnknownRewardError: nothing provides the name; the message says what is near it.
        OptionError: an option is unknown, missing or refused.
        SpecError: the spec is malformed, or was written for another version of a reward.
        PluginError: the plugin that provides it is broken.

    Example:
        >>> load("exact_answer", kind="number").score("so <answer>42</answer>", answer="42").value
        1.0
    """
    if options and not (isinstance(spec, str) and not spec.endswith(_FILES)):
        raise SpecError("options go with a name; a mapping or a file holds its own")
    return _load(spec, options, Path())


def dump(reward: Reward, path: str | Path | None = None) -> dict[str, Any]:
    """Return the spec of a reward as JSON-able data, and write it to a file if one is named.

    Args:
        reward: a leaf or a composite.
        path: a ``.json``, ``.toml`` (needs tomli-w) or ``.yaml`` (needs PyYAML) file.

    Raises:
        SpecError: a part cannot be written as data, or the file type is unknown.
    """
    spec = {"schema_version": SCHEMA_VERSION, **reward.to_spec()}
    if path is not None:
        Path(path).write_text(_format(spec, Path(path)), encoding="utf-8")
    return spec


def _load(spec: Any, options: Mapping[str, Any], folder: Path) -> Reward:
    if isinstance(spec, Reward):
        return spec
    if isinstance(spec, Path) or (isinstance(spec, str) and spec.endswith(_FILES)):
        path = folder / spec
        return _load_mapping(_read(path), path.parent)
    if isinstance(spec, str):
        return _load_name(spec, options, folder)
    if isinstance(spec, Mapping):
        return _load_mapping(spec, folder)
    raise SpecError(
        f"cannot load a reward from {spec!r:.80} of type {type(spec).__name__}; accepted are a "
        f"name, a path to a {', '.join(_FILES)} file, a mapping, or a Reward"
    )


def _load_name(name: str, options: Mapping[str, Any], folder: Path) -> Reward:
    if ":" in name:
        place, _, attribute = name.rpartition(":")
        if place.endswith(".py") and not Path(place).expanduser().is_absolute():
            name = f"{folder / place}:{attribute}"
        factory = reward_factory(import_target(name), target=name)
        return build(factory, options)
    entry = plugins().entry(name)
    source = f", registered as {name!r} by {entry.distribution},"
    try:
        found = import_target(entry.target)
    except ImportError as cause:
        raise PluginError(
            f"the reward {name!r} of {entry.distribution} cannot be imported from "
            f"{entry.target!r}: {cause}"
        ) from cause
    factory = reward_factory(found, target=entry.target, source=source)
    declared = factory.name
    if ":" not in declared and declared != name:
        raise PluginError(
            f"{entry.target!r}{source} calls itself {declared!r}; set its name to {name!r}"
        )
    return build(factory, options)


def _load_mapping(spec: Mapping[str, Any], folder: Path) -> Reward:
    given = spec.get("schema_version", SCHEMA_VERSION)
    if given != SCHEMA_VERSION:
        raise SpecError(
            f"spec has schema_version {given!r}; this rewardkit reads {SCHEMA_VERSION}. "
            f"Update rewardkit, or write the spec anew with rewardkit.dump"
        )
    if ("reward" in spec) == ("type" in spec):
        raise SpecError(
            f"a spec has either 'reward' (a name) or 'type' (a combinator: "
            f"{', '.join(_COMPOSITES)}), got the keys {', '.join(map(repr, spec)) or 'none'}"
        )
    return _load_composite(spec, folder) if "type" in spec else _load_leaf(spec, folder)


def _load_leaf(spec: Mapping[str, Any], folder: Path) -> Reward:
    for key in spec:
        if key not in _LEAF_KEYS:
            raise SpecError(
                f"unknown key {key!r} in the spec of {spec['reward']!r:.80}; accepted are "
                f"{', '.join(_LEAF_KEYS)} (options go under 'options')."
                f"{did_you_mean(key, _LEAF_KEYS)}"
            )
    inner = spec["reward"]
    tail = {key: spec[key] for key in ("column_map", "label") if key in spec}
    options = spec.get("options", {})
    if not isinstance(options, Mapping):
        raise SpecError(f"'options' of {inner!r:.80} is {options!r:.80}; accepted is a mapping")
    if not isinstance(inner, str) or inner.endswith(_FILES):
        if options or tail:
            raise SpecError(f"options go with a name; {inner!r:.80} holds its own")
        return _load(inner, {}, folder)
    reward = _load_name(inner, {**options, **tail}, folder)
    version = spec.get("version", reward.version)
    if version != reward.version:
        raise SpecError(
            f"spec was written for version {version!r} of {inner!r}, installed is version "
            f"{reward.version}: verdicts may differ. Leave out 'version' to take the installed one"
        )
    return reward


def _load_composite(spec: Mapping[str, Any], folder: Path) -> Reward:
    kind = _COMPOSITES.get(spec["type"])
    if kind is None:
        raise SpecError(
            f"unknown combinator {spec['type']!r}; accepted are {', '.join(_COMPOSITES)}."
            f"{did_you_mean(str(spec['type']), _COMPOSITES)}"
        )
    known = [f for f in fields(kind) if f.init]
    names = [f.name for f in known if f.name != "column_map"] + ["type", "schema_version"]
    if issubclass(kind, compose.Switch):
        names.append("column_map")
    for key in spec:
        if key not in names:
            raise SpecError(
                f"unknown key {key!r} in a {kind.name}; accepted are {', '.join(names)}."
                f"{did_you_mean(key, names)}"
            )
    for f in known:
        if f.default is MISSING and f.default_factory is MISSING and f.name not in spec:
            raise SpecError(f"a {kind.name} needs the key {f.name!r}")
    values: dict[str, Any] = {
        key: value for key, value in spec.items() if key not in ("type", "schema_version")
    }
    for key, value in values.items():
        if key in ("reward", "condition", "then", "default") or (
            key == "otherwise" and not isinstance(value, (int, float))
        ):
            values[key] = _load(value, {}, folder)
        elif key == "cases":
            _need(isinstance(value, Mapping), kind.name, key, "a mapping of specs", value)
            values[key] = {name: _load(case, {}, folder) for name, case in value.items()}
        elif key == "rewards":
            _need(isinstance(value, (list, tuple)), kind.name, key, "a list of specs", value)
            values[key] = [_load(item, {}, folder) for item in value]
        elif key == "terms":
            _need(isinstance(value, (list, tuple)), kind.name, key, "a list of terms", value)
            values[key] = [_load_term(item, folder) for item in value]
    arguments = [values.pop(f.name) for f in known if not f.kw_only and f.name in values]
    return kind(*arguments, **values)


def _load_term(spec: Any, folder: Path) -> compose.Term:
    if not isinstance(spec, Mapping):
        return compose.Term(_load(spec, {}, folder))
    body = dict(spec)
    weight = body.pop("weight", 1.0)
    if isinstance(weight, Mapping):
        weight = schedule_from_spec(weight)
    return compose.Term(_load_mapping(body, folder), weight)


def _need(ok: bool, kind: str, key: str, accepted: str, value: Any) -> None:
    if not ok:
        raise SpecError(f"{key!r} of a {kind} is {value!r:.80}; accepted is {accepted}")


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError(f"there is no spec file {str(path)!r}") from None
    except (OSError, UnicodeDecodeError) as cause:
        raise SpecError(f"cannot read the spec file {str(path)!r}: {cause}") from cause
    try:
        data = _parse(text, path)
    except ImportError as cause:
        raise SpecError(f"reading {path.name} needs PyYAML: pip install pyyaml") from cause
    except OptionError:
        raise
    except Exception as cause:
        raise SpecError(f"{str(path)!r} is malformed: {cause}") from cause
    if not isinstance(data, Mapping):
        raise SpecError(f"{str(path)!r} holds a {type(data).__name__}, expected a mapping")
    return data


def _parse(text: str, path: Path) -> Any:
    if path.suffix == ".toml":
        import tomllib

        return tomllib.loads(text)
    if path.suffix == ".json":
        import json

        return json.loads(text)
    import yaml

    return yaml.safe_load(text)


def _format(spec: dict[str, Any], path: Path) -> str:
    try:
        if path.suffix == ".json":
            import json

            return json.dumps(spec, indent=2) + "\n"
        if path.suffix == ".toml":
            import tomli_w

            return str(tomli_w.dumps(spec))
        if path.suffix in (".yaml", ".yml"):
            import yaml

            return str(yaml.safe_dump(spec, sort_keys=False, allow_unicode=True))
    except ImportError as cause:
        raise SpecError(
            f"writing {path.name} needs {cause.name}: pip install rewardkit[specs]"
        ) from cause
    except TypeError as cause:
        raise SpecError(f"{path.suffix} cannot hold this spec: {cause}") from cause
    raise SpecError(f"unknown spec file type {path.suffix!r}; accepted are {', '.join(_FILES)}")
