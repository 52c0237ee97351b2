"""Forms in which models behind endpoints are asked and answer, whatever the body of an answer turns out to be."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, NoReturn
from urllib.parse import quote

from quorate.collect.budget import Price
from quorate.collect.judge import ERROR, REFUSED, Expects, Reply, Request
from quorate.collect.parse import judged
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

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
    choice: Completion | str, tokens: tuple[int | None, int | None], expects: Expects, price: Price
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
        retryable=isinstance(choice, str),
        error=error,
    )


def kind_of(value: Any) -> str:
    """What a decoded value is, in words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "missing"}
    return names.get(type(value), "a number")


# ---- structured answers: a judge is held to the form of an answer, in the ways that endpoints offer

WAYS: Mapping[str, Callable[[Expects], dict[str, Any]]] = {
    "json_schema": lambda expects: {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "judgment", "strict": True, "schema": expects.schema},
        }
    },
    "json_object": lambda _: {"response_format": {"type": "json_object"}},
    "structured_outputs": lambda expects: {"structured_outputs": {"json": expects.schema}},
    "grammar": lambda expects: {"grammar": grammar(expects)},
}
"""What to add to the body of a request: ``response_format``, as most endpoints have it, or what vLLM calls
``structured_outputs``, or a GBNF grammar, as llama.cpp has it."""


def grammar(expects: Expects) -> str:
    r"""A GBNF grammar of the one JSON object that is an answer.

    Raises
    ------
    InvalidInput
        If the scale is continuous.

    Examples
    --------
    >>> print(grammar(Expects(0, 2)))
    root ::= "{\"score\": " answer "}"
    answer ::= "0" | "1" | "2"
    """
    if not expects.points:
        raise InvalidInput("structured: a grammar needs a scale of whole numbers or labels; use json_schema")
    answers = [json.dumps(label) for label in expects.labels] or [f"{point:g}" for point in expects.points]
    rules = ["answer ::= " + " | ".join(json.dumps(answer) for answer in answers)]
    reasoning = ""
    if expects.reasoned:
        reasoning = json.dumps('"reasoning": "') + " char* " + json.dumps('", ') + " "
        rules.append(r'char ::= [^"\\\x00-\x1f] | "\\" ["\\/bfnrt]')
    name = json.dumps(f'"{expects.name}": ')
    start = f"{json.dumps('{')} {reasoning}{name}" if reasoning else json.dumps(f'{{"{expects.name}": ')
    return "\n".join([f'root ::= {start} answer "}}"', *rules])


# ---- where a question goes, what it looks like, and how its answer is read

Ask = Callable[[str, Request, Mapping[str, Any], str | None], dict[str, Any]]
Billed = tuple[int | None, int | None]


@dataclass(frozen=True)
class Api:
    """How models behind an endpoint are asked.

    Parameters
    ----------
    name : str
        As study files say it.
    path : callable
        Path below the base URL, for a model.
    body : callable
        Body of a call, from the model, the request, the parameters of the judge, and how it is held to the form of an
        answer.
    completion : callable
        What a decoded body says, or what is wrong with it.
    usage : callable
        Tokens billed for the prompt and for the reply, where a decoded body has them.
    key_header : str
        Header that carries the key.
    headers : mapping of str to str
        Sent with every call.
    structured : tuple of str
        Ways to hold a model to the form of an answer.
    needed : tuple of str
        Parameters without which nothing is answered.
    probabilities : bool
        Whether token probabilities can be asked for.
    """

    name: str
    path: Callable[[str], str]
    body: Ask
    completion: Callable[[Any], Completion | str]
    usage: Callable[[Any], Billed]
    key_header: str
    headers: Mapping[str, str] = field(default_factory=dict)
    structured: tuple[str, ...] = ("json_schema",)
    needed: tuple[str, ...] = ()
    probabilities: bool = True


def renamed(params: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Parameters as an endpoint calls them; what it has no other name for stays."""
    return {names.get(name, name): value for name, value in params.items()}


def turns(request: Request) -> tuple[str, list[tuple[str, str]]]:
    """What is said before the conversation, and the conversation, a role and a text for each turn."""
    before = "\n\n".join(turn.content for turn in request.messages if turn.role == "system")
    return before, [(turn.role, turn.content) for turn in request.messages if turn.role != "system"]


# ---- chat completions, as OpenAI has them and most endpoints do

TOP_LOGPROBS = 20


def _chat(model: str, request: Request, params: Mapping[str, Any], structured: str | None) -> dict[str, Any]:
    """Body of the call that asks a question."""
    weighed = {"logprobs": True, "top_logprobs": TOP_LOGPROBS} if request.expects.expected else {}
    return {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        **weighed,
        **params,
        **request.params,
        **({} if structured is None else WAYS[structured](request.expects)),
    }


OPENAI = Api("openai", lambda _: "/chat/completions", _chat, completion, usage, "Authorization", structured=tuple(WAYS))


# ---- messages, as Anthropic has them

_STOPS = {"stop": "stop_sequences"}
_ENDS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length"}
_READ_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _messages(model: str, request: Request, params: Mapping[str, Any], structured: str | None) -> dict[str, Any]:
    """Body of the call that asks a question; what comes before the conversation has a place of its own."""
    before, conversation = turns(request)
    made: dict[str, Any] = {
        "model": model,
        "messages": [{"role": role, "content": content} for role, content in conversation],
        **({"system": before} if before else {}),
        **renamed({**params, **request.params}, _STOPS),
    }
    if structured is not None:
        form = {"format": {"type": "json_schema", "schema": request.expects.schema}}
        made["output_config"] = {**made.get("output_config", {}), **form}
    return made


def _message(said: Any) -> Completion | str:
    """The text of a message, without its thoughts, or what is wrong with the body."""
    if not isinstance(said, Mapping):
        return f"the body is {kind_of(said)}, not an object"
    blocks, reason = said.get("content"), said.get("stop_reason")
    if not isinstance(blocks, list) or not all(isinstance(block, Mapping) for block in blocks):
        return f"the content is {kind_of(blocks)}, not a list of blocks"
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        return "a block of text has no text"
    text = "".join(map(str, texts))
    if reason == "refusal":
        return Completion(text, refusal=text or "refusal")
    return Completion(text, _ENDS.get(reason, reason) if isinstance(reason, str) else None)


def _message_usage(said: Any) -> Billed:
    """Tokens billed, those of a cache among them; None where the body does not say."""
    used = said.get("usage") if isinstance(said, Mapping) else None
    if not isinstance(used, Mapping) or count(used.get("input_tokens")) is None:
        return None, count(used.get("output_tokens")) if isinstance(used, Mapping) else None
    return sum(count(used.get(name)) or 0 for name in _READ_TOKENS), count(used.get("output_tokens"))


ANTHROPIC = Api(
    "anthropic",
    lambda _: "/messages",
    _messages,
    _message,
    _message_usage,
    "x-api-key",
    headers={"anthropic-version": "2023-06-01"},
    needed=("max_tokens",),
    probabilities=False,
)


# ---- generateContent, as Gemini has it

_IN_GEMINI = {"max_tokens": "maxOutputTokens", "max_completion_tokens": "maxOutputTokens", "top_p": "topP"}
_IN_GEMINI |= {"top_k": "topK", "stop": "stopSequences"}
_ROLES = {"assistant": "model"}
_OUTSIDE = frozenset({"safetySettings", "cachedContent", "labels"})
"""Parameters that stand beside those of the generation."""
_FINISHED = {"STOP": "stop", "MAX_TOKENS": "length"}
_WITHHELD = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"})


def _generate_path(model: str) -> str:
    """Path of a model; one that has a collection, such as ``tunedModels/mine``, has it in its name."""
    named = "/".join(quote(part, safe="") for part in model.split("/"))
    return f"/{named if '/' in model else f'models/{named}'}:generateContent"


def _generate(_: str, request: Request, params: Mapping[str, Any], structured: str | None) -> dict[str, Any]:
    """Body of the call that asks a question; the model is in the address."""
    before, conversation = turns(request)
    given = renamed({**params, **request.params}, _IN_GEMINI)
    config = {name: value for name, value in given.items() if name not in _OUTSIDE}
    if structured is not None:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": request.expects.schema}
    if request.expects.expected:
        config |= {"responseLogprobs": True, "logprobs": TOP_LOGPROBS}
    return {
        "contents": [{"role": _ROLES.get(role, role), "parts": [{"text": text}]} for role, text in conversation],
        **({"systemInstruction": {"parts": [{"text": before}]}} if before else {}),
        **({"generationConfig": config} if config else {}),
        **{name: value for name, value in given.items() if name in _OUTSIDE},
    }


def _generated(said: Any) -> Completion | str:
    """The text of the one candidate, without its thoughts, or what is wrong with the body."""
    if not isinstance(said, Mapping):
        return f"the body is {kind_of(said)}, not an object"
    feedback, candidates = said.get("promptFeedback"), said.get("candidates")
    if isinstance(feedback, Mapping) and isinstance(feedback.get("blockReason"), str) and not candidates:
        return Completion("", refusal=feedback["blockReason"])
    if not isinstance(candidates, list) or not candidates or not isinstance(candidates[0], Mapping):
        return f"candidates is {kind_of(candidates)}, not a list of candidates"
    if any(other != candidates[0] for other in candidates):
        return f"{len(candidates)} candidates that differ, though one was asked for"
    return _candidate(candidates[0])


def _candidate(candidate: Mapping[str, Any]) -> Completion | str:
    reason, content = candidate.get("finishReason"), candidate.get("content")
    parts = content.get("parts", []) if isinstance(content, Mapping) else [] if content is None else None
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        return f"the content is {kind_of(content)}, not an object with parts"
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and part.get("thought") is not True]
    text = "".join(texts)
    if not isinstance(reason, str):
        reason = None
    elif reason in _WITHHELD:
        return Completion(text, refusal=text or reason)
    return Completion(text, reason and _FINISHED.get(reason, reason), tokens=_tokens(candidate.get("logprobsResult")))


def _tokens(found: Any) -> list[dict[str, Any]] | None:
    """Tokens with their log probabilities, as chat completions have them."""
    known = found if isinstance(found, Mapping) else {}
    chosen, top = known.get("chosenCandidates"), known.get("topCandidates")
    if not isinstance(chosen, list):
        return None
    others = top if isinstance(top, list) and len(top) == len(chosen) else [{}] * len(chosen)
    return [{**_token(one), "top_logprobs": _listed(other)} for one, other in zip(chosen, others, strict=True)]


def _listed(found: Any) -> list[dict[str, Any]]:
    candidates = found.get("candidates") if isinstance(found, Mapping) else None
    return [_token(one) for one in candidates] if isinstance(candidates, list) else []


def _token(one: Any) -> dict[str, Any]:
    return {"token": one.get("token"), "logprob": one.get("logProbability")} if isinstance(one, Mapping) else {}


def _generated_usage(said: Any) -> Billed:
    """Tokens billed, thoughts among those of the reply; None where the body does not say."""
    used = said.get("usageMetadata") if isinstance(said, Mapping) else None
    if not isinstance(used, Mapping):
        return None, None
    written, thought = (count(used.get(name)) for name in ("candidatesTokenCount", "thoughtsTokenCount"))
    return count(used.get("promptTokenCount")), None if written is None else written + (thought or 0)


GEMINI = Api("gemini", _generate_path, _generate, _generated, _generated_usage, "x-goog-api-key")


# ---- by name

ApiName = Literal["openai", "anthropic", "gemini"]
APIS: dict[str, Api] = {api.name: api for api in (OPENAI, ANTHROPIC, GEMINI)}
