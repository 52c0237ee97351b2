"""Deal: which judges are asked about a sample, with which prompts, what they say, and the error of their mean."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from quorate import rules
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.frozen import dataclass
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.schemes import Scheme
from quorate.roles import JUDGE, PROMPT
from quorate.table.cells import labels
from quorate.table.exchange.foreign.inspect.marks import OURS
from quorate.table.judgments import checked
from quorate.table.read import read

_MOST_REPLICATES = 1_000


@dataclass(frozen=True)
class Deal:
    """The turns of a layout, of which a hash gives one to each attempt at a sample.

    A scorer sees one sample at a time, so turns cannot be counted off: each comes with the same chance, independent of
    what is in the sample, and the numbers of samples of the turns differ by chance, as in a multinomial draw. A
    sample that is scored again gets the same turn, in whatever order samples are done.

    Parameters
    ----------
    judges, prompts : sequence of str
        Who may be asked, and with which prompts.
    layout : str
        As for `quorate.assign`; with one prompt "latin" is "cyclic".
    per_item : int, optional
        Judges per attempt for "blocks", pairs per attempt for "latin".
    replicates : int
        How often each is asked.
    seed : int
        Another seed gives other turns.

    Raises
    ------
    InvalidInput
        If names repeat, or the layout does not fit.

    Examples
    --------
    >>> Deal(["x", "y"], ["score"], layout="cyclic").calls("q1", epoch=1)
    (('x', 'score', 1),)
    """

    judges: Sequence[str]
    prompts: Sequence[str]
    layout: LayoutName = "cyclic"
    per_item: int | None = None
    replicates: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("judges", "prompts"):
            object.__setattr__(self, name, labels(getattr(self, name), name))
            if not getattr(self, name):
                raise InvalidInput(f"{name}: at least one is needed, got none")
        rules.whole("replicates", self.replicates, 1, _MOST_REPLICATES)
        if self.layout == "weighted":
            raise InvalidInput('layout: "weighted" needs items that are counted; name another, or plan with assign')
        _ = self.turns

    @cached_property
    def turns(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """The (judge, prompt) pairs of each turn."""
        layout = "cyclic" if self.layout == "latin" and len(self.prompts) == 1 and not self.per_item else self.layout
        scheme = Scheme(layout, self.per_item)
        every = {JUDGE: np.arange(len(self.judges))[None, :], PROMPT: np.arange(len(self.prompts))[None, :]}
        assigned = LAYOUTS[layout].assigned
        order = scheme.order({name: codes.size for name, codes in every.items()}) if assigned else {}
        count = max((len(codes) for codes in order.values()), default=1)
        turns = []
        for turn in range(count):
            judge, prompt = (order[name][turn] if name in order else every[name][0] for name in (JUDGE, PROMPT))
            both = len(order) > 1
            pairs = zip(judge, prompt, strict=True) if both else ((j, p) for j in judge for p in prompt)
            turns.append(tuple((self.judges[j], self.prompts[p]) for j, p in pairs))
        return tuple(turns)

    def calls(self, sample: object, epoch: int) -> tuple[tuple[str, str, int], ...]:
        """Judge, prompt and replicate of every call about one attempt.

        Its turn is SHA-256 of the JSON list of seed, id as text and epoch, modulo the number of turns.

        Parameters
        ----------
        sample : str or int
            Id of the sample.
        epoch : int
            Which attempt it is.
        """
        digest = hashlib.sha256(json.dumps([self.seed, str(sample), epoch]).encode()).digest()
        pairs = self.turns[int.from_bytes(digest) % len(self.turns)]
        return tuple((judge, prompt, number) for judge, prompt in pairs for number in range(1, self.replicates + 1))


@dataclass(frozen=True)
class Vote:
    """What came of one call.

    Parameters
    ----------
    judge, prompt : str
        Who was asked, and with which prompt.
    replicate : int
        Which of several calls of one judge with one prompt it is, from 1.
    score : float, optional
        None if it failed.
    status : {"ok", "unparsed", "refused", "error", "truncated"}
        What became of it.
    error : str, optional
        Why there is no score.
    """

    judge: str
    prompt: str
    replicate: int
    score: float | None
    status: str
    error: str | None = None


def metadata(votes: Iterable[Vote]) -> dict[str, Any]:
    """The votes as a score's metadata.

    Examples
    --------
    >>> metadata([Vote("x", "score", 1, 7.0, "ok")])["quorate"]["votes"][0]["score"]
    7.0
    """
    return {OURS: {"votes": [asdict(vote) for vote in votes]}}


def mean_of(votes: Sequence[Vote]) -> float:
    """The mean of the votes that have a score; nan if none has."""
    scores = [vote.score for vote in votes if vote.score is not None]
    return math.fsum(scores) / len(scores) if scores else math.nan


MEAN = ("mean", "standard_error", "low", "high")
"""What the metric reports."""


@dataclass(frozen=True)
class Scored:
    """A score of the panel, as a metric gets it.

    Parameters
    ----------
    sample : str
        Id of the sample.
    value : float
        The score of one epoch.
    metadata : mapping
        The score's, with the votes in it.
    labels : mapping
        Metadata of the sample.
    """

    sample: str
    value: float
    metadata: Mapping[str, Any]
    labels: Mapping[str, Any]


def mean_with_error(scores: Iterable[Scored]) -> dict[str, float]:
    """Mean, standard error and the ends of the 95 % interval, as `quorate.decompose` gives them for the same votes.

    Returns
    -------
    dict of str to float
        nan where the votes do not tell.
    """
    held = list(scores)
    if not held:
        return dict.fromkeys(MEAN, math.nan)
    epochs = Counter[str]()
    samples = []  # the votes as a log has them, read as a log is
    for score in held:
        epochs[score.sample] += 1
        entry = {"value": score.value, "metadata": score.metadata}
        known = {"id": score.sample, "epoch": epochs[score.sample], "metadata": score.labels}
        samples.append({**known, "scores": {"panel": entry}})
    log = {"version": 2, "status": "success", "eval": {"model": "one", "task": "one"}, "plan": {}, "samples": samples}
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "log.json"
            path.write_text(json.dumps(log, default=str), encoding="utf-8")
            estimate = decompose(checked(read(path, announce=False))).mean
    except NotEstimable:
        return dict.fromkeys(MEAN, math.nan)
    return dict(zip(MEAN, (estimate.value, estimate.se, *estimate.ends), strict=True))
