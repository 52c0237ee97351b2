"""The expected score: the mean of the scale under the probabilities that the judge gave its answer's token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from quorate.collect.expects import Expects
from quorate.collect.parse.score_forms import Hit

_AROUND = " \t\n\"'[](){}.,"
COVERAGE = 0.8
"""Least probability that must lie on tokens that are points of the scale."""


def expected_score(tokens: Sequence[Any] | None, text: str, found: Hit, expects: Expects) -> float | None:
    """Mean of the scale at the token where the answer starts; None where the tokens do not say.

    A token that may be the first half of another point, such as ``1`` of ``10``, counts only where that other point is
    a token of its own. Points that are not among the alternatives have no weight; the rest is scaled to one, and must
    have been at least `COVERAGE` before.

    Parameters
    ----------
    tokens : sequence of mappings, optional
        ``{"token": str, "logprob": float, "top_logprobs": [...]}``, in the order of the reply.
    text : str
        The reply.
    found : Hit
        Where its answer is.
    expects : Expects
        The scale.
    """
    token = _token_at(tokens, text, found.at)
    if token is None:
        return None
    weights = _weights(token, expects)
    total = math.fsum(weights.values())
    if not COVERAGE <= total <= 1 + 1e-6:
        return None
    return math.fsum(score * weight for score, weight in weights.items()) / total


def _token_at(tokens: Sequence[Any] | None, text: str, at: int) -> Mapping[str, Any] | None:
    """The token in which the answer starts; None where the tokens do not spell the reply."""
    if not isinstance(tokens, (list, tuple)):
        return None
    end = 0
    for token in tokens:
        if not isinstance(token, Mapping) or not isinstance(token.get("token"), str):
            return None
        if not text.startswith(token["token"], end):
            return None
        end += len(token["token"])
        if at < end:
            return token
    return None


def _weights(token: Mapping[str, Any], expects: Expects) -> dict[float, float]:
    """Probability of each point, by score."""
    likely = _alternatives(token)
    spelled = _spelled(expects)
    weights: dict[float, float] = {}
    for written, probability in likely.items():
        score = _point(written, likely, spelled)
        if score is not None:
            weights[score] = weights.get(score, 0.0) + probability
    return weights


def _alternatives(token: Mapping[str, Any]) -> dict[str, float]:
    """Probability of what could have been written here, without the space around it."""
    listed = token.get("top_logprobs")
    found: dict[str, dict[str, float]] = {}
    for other in (*(listed if isinstance(listed, (list, tuple)) else ()), token):
        if isinstance(other, Mapping) and isinstance(other.get("token"), str) and _is_logprob(other.get("logprob")):
            written = other["token"].strip(_AROUND).casefold()
            found.setdefault(written, {})[other["token"]] = math.exp(other["logprob"])
    return {written: math.fsum(raw.values()) for written, raw in found.items() if written}


def _is_logprob(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and float(value) <= 1e-6


def _spelled(expects: Expects) -> dict[str, float]:
    if expects.labels:
        return {label.casefold(): score for label, score in expects.labels.items()}
    return {f"{point:g}": point for point in expects.points}


def _point(written: str, likely: Mapping[str, float], spelled: Mapping[str, float]) -> float | None:
    begun = {point: score for point, score in spelled.items() if point.startswith(written)}
    if len(set(begun.values())) == 1:
        return next(iter(begun.values()))
    whole = written in begun and all(point in likely for point in begun)
    return begun[written] if whole else None
