"""`step_bonus`: does the completion reason in steps?"""

from __future__ import annotations

import re

from rewardkit.builtins.options import check_whole
from rewardkit.protocol import Reward
from rewardkit.sample import Sample
from rewardkit.score import Score

__all__ = ["StepBonus"]

_STEP = re.compile(
    r"(?:\#{1,6}\s*|\*{1,2}\s*)?"
    r"(?:step\s+\d{1,3}\b|\(?\d{1,3}[.)](?=\s)|[-*\u2022](?=\s)"
    r"|(?:first|second|third|next|then|after that|finally|lastly)(?:ly)?\b[,:]?)"
    r"[\s:.,*)-]*(?P<content>.*)",
    re.IGNORECASE,
)
MAX_CHARACTERS = 200_000
"""Only so much of the completion, from its start, is looked at."""


class StepBonus(Reward):
    """The share of `max_steps` distinct reasoning steps: 0.0 to 1.0.

    A step is a line that begins like one (``Step 2:``, ``2.``, ``-``, ``Then``, ``Finally``) and
    says at least `min_characters` characters of its own. A line that repeats an earlier step's
    content counts once, and steps beyond `max_steps` earn nothing, so padding does not pay.
    """

    name = "step_bonus"

    max_steps: int = 5
    min_characters: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, "max_steps", least=1)
        check_whole(self, "min_characters", least=0)

    def evaluate(self, sample: Sample) -> Score:
        """Count the distinct steps, up to the maximum."""
        steps: set[str] = set()
        for line in sample.text[:MAX_CHARACTERS].splitlines():
            step = _STEP.match(line.strip()[:1000])
            if step:
                content = " ".join(step["content"].lower().split())
                if len(content) >= self.min_characters:
                    steps.add(content)
            if len(steps) >= self.max_steps:
                break
        value = len(steps) / self.max_steps
        reason = f"{len(steps)} of {self.max_steps} steps" if value < 1 else ""
        return Score(value=value, reason=reason)
