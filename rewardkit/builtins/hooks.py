"""Registers the built-in rewards, by the same hook as any plugin's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rewardkit.hookspecs import hookimpl

if TYPE_CHECKING:
    from rewardkit.registry import Registrar

_HERE = "rewardkit.builtins"


@hookimpl
def rewardkit_register_rewards(registry: Registrar) -> None:
    """Add every built-in."""
    for name, place, summary in (
        ("cosine_length", "length:CosineLength", "short answers earn more, along a cosine"),
        ("countdown", "countdown:Countdown", "an equation over given numbers hits the target"),
        ("exact_answer", "exact_answer:ExactAnswer", "the final text, number or choice is gold"),
        ("length_penalty", "length:LengthPenalty", "distance from a target length, as a penalty"),
        ("regex_format", "regex_format:RegexFormat", "the completion matches a pattern"),
        ("repetition_penalty", "repetition:RepetitionPenalty", "repeated n-grams, as a penalty"),
        ("soft_overlong", "length:SoftOverlong", "a ramp of penalty before the length limit"),
        ("step_bonus", "steps:StepBonus", "distinct reasoning steps, up to a maximum"),
        ("tag_count", "tag_format:TagCount", "share of the tags that occur exactly once"),
        ("tag_format", "tag_format:TagFormat", "blocks of tags, each once and in order"),
    ):
        registry.add(name, f"{_HERE}.{place}", summary=summary)
