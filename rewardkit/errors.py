"""The exceptions rewardkit raises.

::

    RewardKitError
    ├── OptionError        (ValueError)   a bad, unknown or missing option of a reward
    ├── ReturnValueError   (ValueError)   a reward returned the wrong number of scores
    ├── ReturnTypeError    (TypeError)    a reward returned something that is not a score
    ├── MissingColumnError (ValueError)   the data set lacks a column that a reward reads
    ├── ColumnLengthError  (ValueError)   a column has another length than the completions
    ├── SpecError          (ValueError)   a reward spec cannot be read or written
    ├── UnknownRewardError (LookupError)  no reward of that name is known
    ├── SettingsError      (ValueError)   a plugin's settings are wrong
    └── PluginError                       a plugin could not be loaded or used
        └── PluginConflictError           two distributions claim the same name

All of them are a programmer's or an operator's mistake, raised where it is made. What goes wrong
with one completion never raises: it is a `rewardkit.Score`.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
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
    "did_you_mean",
]


class RewardKitError(Exception):
    """Base of every exception rewardkit raises on purpose."""


class OptionError(RewardKitError, ValueError):
    """An option of a reward is unknown, missing or has a value outside what is accepted."""


class ReturnValueError(RewardKitError, ValueError):
    """A batch reward returned another number of scores than it was given samples."""


class ReturnTypeError(RewardKitError, TypeError):
    """A reward returned an object that is no score: a string, a list or a coroutine."""


class MissingColumnError(RewardKitError, ValueError):
    """A reward reads a data-set column that the data does not have."""


class ColumnLengthError(RewardKitError, ValueError):
    """A column handed to a reward has another length than the completions."""


class SpecError(RewardKitError, ValueError):
    """A reward spec is malformed, or a reward cannot be written as a spec."""


class UnknownRewardError(RewardKitError, LookupError):
    """No built-in, plugin, module or file provides a reward of that name."""


class SettingsError(RewardKitError, ValueError):
    """A plugin's settings hold an unknown key or a value of the wrong type."""


class PluginError(RewardKitError):
    """A plugin failed to load, or what it registered cannot be used."""


class PluginConflictError(PluginError):
    """Two installed distributions claim the same plugin or reward name."""


class PluginWarning(UserWarning):
    """A plugin was left out; the warning names it, the cause and the mend."""


def did_you_mean(given: str, accepted: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the accepted name closest to `given`, else ``""``."""
    import difflib

    close = difflib.get_close_matches(given, list(accepted), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""
