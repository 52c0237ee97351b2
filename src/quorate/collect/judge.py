"""Judge: something that answers a request with a reply, and never raises for what it meets on the way."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

from quorate import rules
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.table.facets import OK, STATUSES

# Expected answers: a score in a range, or one of some verdicts.


@dataclass(frozen=True)
class Expects:
    """The answer that counts: a number from ``low`` to ``high``, or one of the ``labels``.

    Parameters
    ----------
    low, high : float
        Ends of the scale.
    integer : bool
        Whether only whole numbers are on the scale.
    labels : mapping of str to float
        Verdicts in words and the score of each, such as ``{"A": 1, "tie": 0.5, "B": 0}``. Where there are any, a
        number is no answer.
    name : str
        What the answer is called in a structured reply, such as ``score``.
    swapped : bool
        Whether the candidates were shown in the opposite order, so that ``low`` and ``high`` change places.
    expected : bool
        Whether the score is the mean of the scale under the judge's token probabilities; the judge must give them.
    reasoned : bool
        Whether a structured reply holds ``reasoning`` before the answer.

    Raises
    ------
    InvalidInput
        If the scale is empty or not finite, a label's score is outside it, or an expected score is wanted on a
        continuous scale.
    """

    low: float
    high: float
    integer: bool = True
    labels: Mapping[str, float] = field(default_factory=dict)
    name: str = "score"
    swapped: bool = False
    expected: bool = False
    reasoned: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InvalidInput(f"scale: low must be below high, both finite, got {self.low:g} to {self.high:g}")
        for label, score in self.labels.items():
            if not self.low <= score <= self.high:
                raise InvalidInput(f'labels: "{label}" scores {score:g}, outside {self.low:g} to {self.high:g}')
        if self.expected and not self.points:
            raise InvalidInput(
                "expected: needs a scale of whole numbers or labels; a continuous one has no tokens to weigh"
            )
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))

    def allows(self, score: float) -> bool:
        """Whether a number is on the scale."""
        return self.low <= score <= self.high and (not self.integer or float(score).is_integer())

    def recoded(self, score: float) -> float:
        """The score in the order of the study, whatever order the candidates were shown in."""
        return self.low + self.high - score if self.swapped else score

    @property
    def points(self) -> tuple[float, ...]:
        """Scores that can be given, ascending; empty where the scale is continuous."""
        if self.labels:
            return tuple(sorted(set(self.labels.values())))
        if not self.integer:
            return ()
        return tuple(float(point) for point in range(math.ceil(self.low), math.floor(self.high) + 1))

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of a structured reply: one object with the answer under ``name``."""
        if self.labels:
            answer: dict[str, Any] = {"type": "string", "enum": list(self.labels)}
        elif self.integer:
            answer = {"type": "integer", "enum": [int(point) for point in self.points]}
        else:
            answer = {"type": "number", "minimum": self.low, "maximum": self.high}
        reasoning = {"reasoning": {"type": "string"}} if self.reasoned else {}
        properties = {**reasoning, self.name: answer}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


UNPARSED, REFUSED, ERROR, TRUNCATED = STATUSES[1:5]
REPLIES = STATUSES[:5]
"""Status of a reply: every status of a judgment but ``missing``, which only a table that was read can have."""

RESERVED = frozenset({"messages", "model", "n", "stream", "response_format"})
"""Parameters of a call that are not for the study to choose."""

MOST_TEXT = 64 * 1024
"""Characters of a raw reply that are kept."""

MOST_ERROR = 300
"""Characters of an error that are kept."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of what is sent to a judge.

    Parameters
    ----------
    role : {"system", "user", "assistant"}
        Who speaks.
    content : str
        What is said.
    """

    role: str
    content: str


@dataclass(frozen=True)
class Request:
    """One question to one judge.

    Parameters
    ----------
    key : str
        Key of the cell in the ledger.
    messages : tuple of Message
        The prompt.
    params : mapping
        Parameters of the call, such as ``temperature`` and ``max_tokens``; JSON values.
    expects : Expects
        What counts as an answer.
    judge : str
        Name of the judge.
    cell : mapping of str to str
        Labels of the cell's facets and ``replicate``, for judges that look answers up or compute them; no part of what
        is asked.
    asked : int
        Requests for this cell before this one, by which a judge tells a question that it has been asked already from
        one that is asked again.
    once : str
        Text that is the same only where a question is sent again because its answer was lost with the process that
        waited for it, and differs in every other request of every ledger; empty where it is not known.

    Raises
    ------
    InvalidInput
        If ``params`` say what the request itself says.
    """

    key: str
    messages: tuple[Message, ...]
    params: Mapping[str, Any]
    expects: Expects
    judge: str
    cell: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    once: str = ""

    def __post_init__(self) -> None:
        for name in RESERVED & self.params.keys():
            raise InvalidInput(f'params: "{name}" is set by the request itself; leave it out')
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))
        object.__setattr__(self, "cell", MappingProxyType(dict(self.cell)))

    @property
    def digest(self) -> str:
        """SHA-256 of what is asked: judge, messages and parameters, and not the key. 64 hex digits."""
        asked = [self.judge, [[turn.role, turn.content] for turn in self.messages], dict(self.params)]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What a judge answered, or why there is no answer.

    Parameters
    ----------
    status : {"ok", "unparsed", "refused", "error", "truncated"}
        What became of the request. Only ``ok`` has a score.
    score : float, optional
        The score on the study's scale, in the study's order.
    text : str
        The raw reply, at most `MOST_TEXT` characters of it.
    cut : int
        Characters of the raw reply that were not kept.
    tokens_in, tokens_out : int, optional
        Tokens billed for the prompt and for the reply; None where the judge does not say.
    cost : float, optional
        Price of the call; None where it is not known. 0 is known: the request was turned away unanswered, or the judge
        is free.
    latency : float
        Seconds from sending to the last byte.
    retry_after : float, optional
        Seconds to wait before the next try, where the judge says so.
    retryable : bool
        Whether the same request may be answered another time.
    fatal : bool
        Whether no request to this judge will be answered: a wrong key, or no such model.
    error : str, optional
        What went wrong, in one line without keys.
    waits : bool
        Whether the question is, or may be, in a batch whose end is not known: nothing is settled, and the cell stays
        held until a later run finds the answer. With a ``cost`` of 0 this process has not sent it.
    unsent : bool
        Whether the request never left this process, as where nobody listens: an error that is no call of a budget.

    Raises
    ------
    InvalidInput
        If there is a score without ``ok``, ``ok`` without a finite score, or no such status.
    """

    status: str
    score: float | None = None
    text: str = field(default="", repr=False)
    cut: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    latency: float = 0.0
    retry_after: float | None = None
    retryable: bool = False
    fatal: bool = False
    error: str | None = None
    waits: bool = False
    unsent: bool = False

    def __post_init__(self) -> None:
        rules.one_of("status", self.status, REPLIES)
        scored = self.score is not None and math.isfinite(self.score)
        if scored != (self.status == OK):
            raise InvalidInput(
                f'score: a reply has a finite score if and only if it is ok, got {self.score} with "{self.status}"'
            )
        if len(self.text) > MOST_TEXT:
            object.__setattr__(self, "cut", self.cut + len(self.text) - MOST_TEXT)
            object.__setattr__(self, "text", self.text[:MOST_TEXT])
        if not self.text.isascii():
            object.__setattr__(self, "text", _storable(self.text))
        if self.error is not None:
            object.__setattr__(self, "error", _storable(" ".join(self.error[: 4 * MOST_ERROR].split())[:MOST_ERROR]))


class Judge(Protocol):
    """Anything that answers requests.

    ``ask`` returns a reply for whatever the endpoint does and never raises for it; a request that is cancelled is
    cancelled.
    """

    @property
    def name(self) -> str:
        """The judge's name: its level of the facet ``judge``."""

    async def ask(self, request: Request) -> Reply:
        """Ask one question and wait for the reply."""

    async def close(self) -> None:
        """Let go of connections and models; nothing can be asked afterwards."""


@runtime_checkable
class Lasting(Protocol):
    """A judge whose questions are answered even if the process that asked them ends, such as one behind batches."""

    @property
    def lasting(self) -> bool:
        """Whether another process finds the answers."""

    def unsent(self) -> frozenset[str]:
        """Keys of the questions that are being gathered and were not sent."""


def lasts(judge: Judge) -> bool:
    """Whether the questions of a judge outlive the process."""
    return isinstance(judge, Lasting) and judge.lasting


def _storable(text: str) -> str:
    """The text in characters that every file and database takes: half a surrogate pair is no character."""
    return text.encode("utf-8", "replace").decode("utf-8")
