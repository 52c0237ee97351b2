"""generateContent, as Gemini has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from quorate.collect.judge import Request
from quorate.collect.judges.apis.api import Api, Billed, renamed, turns
from quorate.collect.judges.apis.openai import TOP_LOGPROBS
from quorate.collect.judges.completion import Completion, count, kind_of

_NAMES = {
    "max_tokens": "maxOutputTokens",
    "max_completion_tokens": "maxOutputTokens",
    "top_p": "topP",
    "top_k": "topK",
    "stop": "stopSequences",
}
_ROLES = {"assistant": "model"}
_OUTSIDE = frozenset({"safetySettings", "cachedContent", "labels"})
"""Parameters that stand beside those of the generation."""
_FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
_WITHHELD = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"})


def path(model: str) -> str:
    """Path of a model; one that has a collection, such as ``tunedModels/mine``, has it in its name."""
    named = "/".join(quote(part, safe="") for part in model.split("/"))
    return f"/{named if '/' in model else f'models/{named}'}:generateContent"


def body(_: str, request: Request, params: Mapping[str, Any], structured: str | None) -> dict[str, Any]:
    """Body of the call that asks a question; the model is in the address."""
    before, conversation = turns(request)
    given = renamed({**params, **request.params}, _NAMES)
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


def completion(said: Any) -> Completion | str:
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
    return Completion(text, reason and _FINISH.get(reason, reason), tokens=_tokens(candidate.get("logprobsResult")))


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


def usage(said: Any) -> Billed:
    """Tokens billed, thoughts among those of the reply; None where the body does not say."""
    used = said.get("usageMetadata") if isinstance(said, Mapping) else None
    if not isinstance(used, Mapping):
        return None, None
    written, thought = (count(used.get(name)) for name in ("candidatesTokenCount", "thoughtsTokenCount"))
    return count(used.get("promptTokenCount")), None if written is None else written + (thought or 0)


GEMINI = Api("gemini", path, body, completion, usage, "x-goog-api-key")
