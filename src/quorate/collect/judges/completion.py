"""Chat completions: from the body of one to a reply, whatever the body turns out to be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from quorate.collect.budget import Price
from quorate.collect.judge import ERROR, REFUSED, Expects, Reply
from quorate.collect.parse.parse import judged

MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True)
class Completion:
    """What a chat completion says.

    Parameters
    ----------
    text : str
        The judge's words.
    finish : str, optional
        Why it stopped.
    refusal : str, optional
        Its refusal, where the endpoint has a place for that.
    tokens : sequence, optional
        Tokens with their log probabilities.
    """

    text: str
    finish: str | None = None
    refusal: str | None = None
    tokens: Sequence[Any] | None = None


def decoded(body: bytes) -> Any:
    """The value of a JSON text.

    Raises
    ------
    ValueError
        If it is not JSON, is not UTF-8, or is nested too deep. Numbers that are none, such as NaN, are no JSON.
    """

    def no_constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is no JSON")

    try:
        return json.loads(body, parse_constant=no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def completion(body: Any) -> Completion | str:
    """The first choice of a body, or what is wrong with the body."""
    if not isinstance(body, Mapping):
        return f"the body is {kind_of(body)}, not an object"
    choices = body.get("choices")
    if not isinstance(choices, Sequence) or isinstance(choices, str):
        return f"choices is {kind_of(choices)}, not a list"
    if not choices:
        return "choices is empty"
    first, *others = map(_choice, choices)
    if isinstance(first, Completion) and any(other != first for other in others):
        return f"{len(choices)} choices that differ, though one was asked for"
    return first


def _choice(choice: Any) -> Completion | str:
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        return f"the message is {kind_of(message)}, not an object"
    content, refusal = message.get("content"), message.get("refusal")
    if content is None:  # endpoints also send nothing, and lists of parts
        content = ""
    elif isinstance(content, list):
        typed = [part for part in content if isinstance(part, Mapping) and part.get("type") in ("text", None)]
        texts = [part["text"] for part in typed if isinstance(part.get("text"), str)]
        content = "".join(texts) if len(texts) == len(typed) else content
    if not isinstance(content, str):
        return f"the content is {kind_of(content)}, not a text"
    finish, logprobs = choice.get("finish_reason"), choice.get("logprobs")
    return Completion(
        content,
        finish if isinstance(finish, str) else None,
        refusal if isinstance(refusal, str) and refusal else None,
        logprobs.get("content") if isinstance(logprobs, Mapping) else None,
    )


def usage(body: Any) -> tuple[int | None, int | None]:
    """Tokens billed for the prompt and for the reply; None where the body does not say."""
    used = body.get("usage") if isinstance(body, Mapping) else None
    if not isinstance(used, Mapping):
        return None, None
    return count(used.get("prompt_tokens")), count(used.get("completion_tokens"))


def count(value: Any) -> int | None:
    """A number of tokens that can be one; None for anything else."""
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if right else None


def reply_from(
    choice: Completion | str, tokens: tuple[int | None, int | None], expects: Expects, price: Price, latency: float
) -> Reply:
    """The reply that a completion is, or what is wrong with its body, with the tokens billed for prompt and reply.

    What a judge said and nobody can read is an answer too, and is not asked for again: to ask until an answer fits
    would select among the answers.
    """
    tokens_in, tokens_out = tokens
    error: str | None
    if isinstance(choice, str):
        status, score, text, error = ERROR, None, "", f"unusable reply: {choice}"
    elif choice.refusal is not None:
        status, score, text, error = REFUSED, None, choice.refusal, "the judge declined"
    else:
        text = choice.text
        status, score, error = judged(text, expects, finish=choice.finish, tokens=choice.tokens)
    return Reply(
        status,
        score,
        text,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=price.cost(tokens_in, tokens_out),
        latency=latency,
        retryable=isinstance(choice, str),
        error=error,
    )


def kind_of(value: Any) -> str:
    """What a decoded value is, in words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "missing"}
    return names.get(type(value), "a number")
