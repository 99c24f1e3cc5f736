"""The hooks a plugin can implement.

A plugin is an entry point of the group ``rewardkit`` whose value is a thin module with functions
marked `hookimpl`. The name of the entry point is the namespace of its rewards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import click

    from rewardkit.registry import Registrar

__all__ = ["hookimpl", "hookspec"]

PROJECT = "rewardkit"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def rewardkit_register_rewards(registry: Registrar) -> None:
    """Register the plugin's rewards.

    Call ``registry.add("cargo_check", "my_plugin.cargo:CargoCheck", summary="…")`` for each. The
    string is imported when the reward is first built, so keep heavy imports out of this module.

    Args:
        registry: adds under the plugin's namespace: the name above becomes ``rust/cargo_check``
            when the entry point is called ``rust``.
    """


@hookspec
def rewardkit_register_commands(cli: click.Group) -> None:
    """Add commands to ``rewardkit``, with ``cli.add_command(command)``.

    Import what a command needs inside its function: the hook runs at each ``rewardkit --help``.

    Args:
        cli: the root group. A name that it already has is refused.
    """
