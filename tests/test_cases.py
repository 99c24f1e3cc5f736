"""Faults from public bug reports: each input gets the right score.

`cases/cases.jsonl` says for each input what must come out and why somebody's reward function got
it wrong. Where two answers are defensible the case says so, and the one here is documented in the
reward's docstring.
"""

import json
from pathlib import Path

import pytest

from rewardkit import load

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("cases.jsonl").read_text().splitlines()
]


def of_family(*families: str, kinds: tuple[str, ...] = ()) -> list:
    return [
        pytest.param(case["input"], case["expected"], id=case["id"])
        for case in CASES
        if case["family"] in families and (not kinds or case["input"].get("kind") in kinds)
    ]


def check(score, expected) -> None:
    if expected.get("pass") is None:
        assert score.status == "scored"
        return
    assert score.passed is expected["pass"], score
    assert score.value == expected["score"], score
    assert score.passed or score.reason, "a wrong answer says why"


@pytest.mark.parametrize(("given", "expected"), of_family("countdown"))
def test_countdown(given, expected):
    score = load("countdown").score(
        given["completion"], numbers=given["numbers"], target=given["target"]
    )
    check(score, expected)


@pytest.mark.parametrize(("given", "expected"), of_family("exact", kinds=("text", "number")))
def test_exact_answer(given, expected):
    reward = load("exact_answer", kind=given["kind"])
    check(reward.score(given["completion"], answer=given["answer"]), expected)


@pytest.mark.parametrize(("given", "expected"), of_family("format"))
def test_tag_format(given, expected):
    reward = load("tag_format", tags=given["tags"])
    check(reward.score(given["completion"], prompt=given.get("prompt")), expected)


def test_prefilled_tag_can_also_be_an_option():
    [case] = [case for case in CASES if case["id"] == "fm-o05"]
    reward = load("tag_format", prefilled="<think>")
    assert reward.score(case["input"]["completion"]).value == 1.0
