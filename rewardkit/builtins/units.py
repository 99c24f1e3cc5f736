"""Measures a completion in tokens, characters or words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["UNITS", "Unit", "pieces"]

Unit = Literal["tokens", "characters", "words"]
UNITS = ("tokens", "characters", "words")


def pieces(sample: Sample, unit: Unit) -> Sequence[Any] | Score:
    """Return the completion's tokens, characters or (white-space separated) words.

    Token ids come from the trainer; where it gave none, the answer is an ``error`` score.
    """
    if unit == "characters":
        return sample.text
    if unit == "words":
        return sample.text.split()
    if sample.completion_ids is None:
        return Score.error(
            "unit='tokens' needs completion_ids, which were not given; "
            "outside a trainer use unit='words' or 'characters'"
        )
    return sample.completion_ids
