"""Checks of options that several rewards share; each raises `OptionError`."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

from rewardkit.errors import OptionError, did_you_mean

if TYPE_CHECKING:
    from rewardkit.protocol import Reward

__all__ = ["check_choice", "check_finite", "check_names", "check_whole"]


def check_choice(reward: Reward, option: str, accepted: Collection[str]) -> None:
    """Raise unless the option is one of the accepted strings."""
    value = getattr(reward, option)
    if value not in accepted:
        raise OptionError(
            f"{reward.name}({option}={value!r}): accepted are {', '.join(map(repr, accepted))}."
            f"{did_you_mean(str(value), accepted)}"
        )


def check_names(
    reward: Reward, option: str, accepted: Collection[str] | None, *, empty: bool = False
) -> None:
    """Raise unless the option is a name, or a sequence of distinct names.

    Args:
        reward: has the option.
        option: its name.
        accepted: the names it may hold; None for any that could be a tag.
        empty: whether there may be none.
    """
    value = getattr(reward, option)
    names = [value] if isinstance(value, str) and option == "tag" else value
    if isinstance(names, str) or not isinstance(names, (list, tuple)):
        raise OptionError(f"{reward.name}({option}={value!r}): accepted is a list of names")
    if not names and not empty:
        raise OptionError(f"{reward.name}({option}={value!r}): at least one is needed")
    for name in names:
        if not isinstance(name, str) or not name.replace("_", "a").replace("-", "a").isalnum():
            raise OptionError(
                f"{reward.name}({option}={value!r}): {name!r} is no name; write it without "
                f"brackets, such as 'think'"
            )
        if accepted is not None and name not in accepted:
            raise OptionError(
                f"{reward.name}({option}={value!r}): {name!r} is unknown; accepted are "
                f"{', '.join(map(repr, accepted))}.{did_you_mean(name, accepted)}"
            )
    if len(set(names)) != len(names):
        raise OptionError(f"{reward.name}({option}={value!r}): a name occurs twice")


def check_whole(reward: Reward, option: str, *, least: int) -> None:
    """Raise unless the option is a whole number of at least `least`."""
    value = getattr(reward, option)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError(
            f"{reward.name}({option}={value!r}): accepted is a whole number of at least {least}"
        )


def check_finite(
    reward: Reward, option: str, *, least: float = -math.inf, most: float = math.inf
) -> None:
    """Raise unless the option is a finite number between the two bounds."""
    value = getattr(reward, option)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not math.isfinite(value)
        or not least <= value <= most
    ):
        bounds = "" if least == -math.inf and most == math.inf else f" from {least} to {most}"
        raise OptionError(f"{reward.name}({option}={value!r}): accepted is a finite number{bounds}")
