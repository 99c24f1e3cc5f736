"""rewardkit: reward functions for reinforcement learning on language models.

The public names are imported when they are first used, so that ``import rewardkit`` (which every
plugin's hooks module and the pytest plugin do) costs next to nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardkit.compose import (
        Clip,
        Gate,
        Max,
        Min,
        Product,
        Scale,
        Scheduled,
        Switch,
        Term,
        WeightedMean,
        WeightedSum,
    )
    from rewardkit.decorator import reward
    from rewardkit.errors import (
        ColumnLengthError,
        MissingColumnError,
        OptionError,
        PluginConflictError,
        PluginError,
        PluginWarning,
        ReturnTypeError,
        ReturnValueError,
        RewardKitError,
        SettingsError,
        SpecError,
        UnknownRewardError,
    )
    from rewardkit.hookspecs import hookimpl
    from rewardkit.protocol import Reward, Traits
    from rewardkit.sample import Sample
    from rewardkit.schedule import constant, cosine, linear, step
    from rewardkit.score import Part, Score
    from rewardkit.spec import dump, load

__all__ = [
    "Clip",
    "ColumnLengthError",
    "Gate",
    "Max",
    "Min",
    "MissingColumnError",
    "OptionError",
    "Part",
    "PluginConflictError",
    "PluginError",
    "PluginWarning",
    "Product",
    "ReturnTypeError",
    "ReturnValueError",
    "Reward",
    "RewardKitError",
    "Sample",
    "Scale",
    "Scheduled",
    "Score",
    "SettingsError",
    "SpecError",
    "Switch",
    "Term",
    "Traits",
    "UnknownRewardError",
    "WeightedMean",
    "WeightedSum",
    "__version__",
    "constant",
    "cosine",
    "dump",
    "hookimpl",
    "linear",
    "load",
    "reward",
    "step",
]

_MODULES = {
    "compose": (
        "Clip",
        "Gate",
        "Max",
        "Min",
        "Product",
        "Scale",
        "Scheduled",
        "Switch",
        "Term",
        "WeightedMean",
        "WeightedSum",
    ),
    "decorator": ("reward",),
    "errors": (
        "ColumnLengthError",
        "MissingColumnError",
        "OptionError",
        "PluginConflictError",
        "PluginError",
        "PluginWarning",
        "ReturnTypeError",
        "ReturnValueError",
        "RewardKitError",
        "SettingsError",
        "SpecError",
        "UnknownRewardError",
    ),
    "hookspecs": ("hookimpl",),
    "protocol": ("Reward", "Traits"),
    "sample": ("Sample",),
    "schedule": ("constant", "cosine", "linear", "step"),
    "score": ("Part", "Score"),
    "spec": ("dump", "load"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module(f"rewardkit.{_HOME[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("rewardkit")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
