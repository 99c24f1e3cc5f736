"""`repetition_penalty`: how much of the completion repeats itself?"""

from __future__ import annotations

from rewardkit.builtins.options import check_choice, check_finite, check_whole
from rewardkit.builtins.units import UNITS, Unit, pieces
from rewardkit.protocol import Reward
from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["RepetitionPenalty"]

MAX_PIECES = 100_000
"""Only so many words, characters or tokens, from the end, are looked at."""


class RepetitionPenalty(Reward):
    r"""`max_penalty` times the share of n-grams that repeat an earlier one.

    :math:`max\_penalty \cdot (1 - distinct / all)`: 0.0 without repetition, towards `max_penalty`
    (not above 0) the more the completion loops; the penalty of Yeo et al. 2025 (arXiv
    2502.03373). A completion too short to hold an n-gram scores 0.0. Words are compared without
    regard to case.
    """

    name = "repetition_penalty"

    ngram_size: int = 3
    max_penalty: float = -1.0
    unit: Unit = "words"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, "ngram_size", least=1)
        check_finite(self, "max_penalty", most=0.0)
        check_choice(self, "unit", UNITS)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """From the penalty to 0."""
        return self.max_penalty, 0.0

    def evaluate(self, sample: Sample) -> Score:
        """Count the distinct n-grams."""
        found = pieces(sample, self.unit)
        if isinstance(found, Score):
            return found
        found = found[-MAX_PIECES:]
        if self.unit == "words":
            found = [word.lower() for word in found]
        count = len(found) - self.ngram_size + 1
        if count < 1:
            return Score(value=0.0)
        distinct = len(set(zip(*(found[i:] for i in range(self.ngram_size)), strict=False)))
        share = 1.0 - distinct / count
        reason = f"{share:.0%} of the {self.ngram_size}-grams repeat" if distinct < count else ""
        return Score(value=self.max_penalty * share + 0.0, reason=reason)
