"""One thing to score: a completion with its prompt and its data-set columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

__all__ = ["EMPTY", "Messages", "Sample", "text_of"]

Messages = Sequence[Mapping[str, Any]]
"""A conversation: mappings with the keys ``role`` and ``content``, as in the chat templates."""

EMPTY: Mapping[str, Any] = MappingProxyType({})


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Iterable):  # multimodal content: a list of typed parts
        return "".join(
            part["text"] if isinstance(part.get("text"), str) else ""
            for part in content
            if isinstance(part, Mapping)
        )
    return ""


def text_of(text_or_messages: str | Messages | None) -> str:
    """Return the text of a string, or of the messages of a completion.

    Of messages, what the model wrote counts: the contents of the messages whose role is
    ``assistant`` (or that name no role), joined by newlines. Tool and user turns are left out.
    """
    if isinstance(text_or_messages, str):
        return text_or_messages
    if not text_or_messages:
        return ""
    return "\n".join(
        _content(message.get("content"))
        for message in text_or_messages
        if message.get("role", "assistant") == "assistant"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A completion to score, with all that a reward may read.

    Compared and hashed by identity: within a batch two equal rows are still two rows.
    """

    completion: str | Messages
    """What the model wrote: a string, or a list of messages for conversational data sets."""

    prompt: str | Messages | None = None
    """What the model was given, in the same two shapes; None if unknown."""

    columns: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    """The other columns of the data-set row (gold answer, numbers, …), by name."""

    completion_ids: Sequence[int] | None = None
    """Token ids of the completion, if the trainer knows them."""

    @property
    def text(self) -> str:
        """The completion as text (see `text_of`)."""
        completion = self.completion
        return completion if isinstance(completion, str) else text_of(completion)

    @property
    def prompt_text(self) -> str:
        """The prompt as text: of messages, all contents in order, joined by newlines."""
        prompt = self.prompt
        if prompt is None or isinstance(prompt, str):
            return prompt or ""
        return "\n".join(_content(message.get("content")) for message in prompt)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # a mappingproxy does not pickle, a dict does
        return _rebuild, (self.completion, self.prompt, dict(self.columns), self.completion_ids)


def _rebuild(
    completion: str | Messages,
    prompt: str | Messages | None,
    columns: dict[str, Any],
    completion_ids: Sequence[int] | None,
) -> Sample:
    return Sample(
        completion=completion, prompt=prompt, columns=columns, completion_ids=completion_ids
    )
