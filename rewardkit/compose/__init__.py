"""Combinators: rewards made of rewards.

One rule for the three states of a score holds in all of them: a part in ``error`` makes the
whole an error; a part that abstains drops out; if every part abstains, so does the whole.
"""

from rewardkit.compose.base import Composite
from rewardkit.compose.choice import Gate, Switch
from rewardkit.compose.parts import Max, Min, Product
from rewardkit.compose.transform import Clip, Scale
from rewardkit.compose.weighted import Scheduled, Term, WeightedMean, WeightedSum, add, multiply

__all__ = [
    "Clip",
    "Composite",
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
    "add",
    "multiply",
]
