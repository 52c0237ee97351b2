"""Panel: judges of a sample in Inspect AI, only those that a layout gives it. Inspect loads this, nothing else does."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from quorate.collect.judge import ERROR, Expects
from quorate.collect.parse.parse import judged
from quorate.collect.prompt import Prompt, built_in
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.schemes import Scheme
from quorate.roles import JUDGE, PROMPT
from quorate.table.cells import labels, whole
from quorate.table.exchange.foreign.inspect.marks import OURS
from quorate.table.judgments import checked
from quorate.table.read import read

# Deal: which judges, with which prompts, are asked about a sample, without knowing the other samples.


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
        whole(self.replicates, "replicates", 1, _MOST_REPLICATES)
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


# Votes of a panel, as a score's metadata keeps them: one entry for each judge that was asked, none for others.


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


# Standard error of a panel's mean, from the scores that Inspect hands to a metric.


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
    return dict(zip(MEAN, (estimate.value, estimate.se, *estimate.interval()), strict=True))


_model: Any = import_module("inspect_ai.model")
_scorer: Any = import_module("inspect_ai.scorer")
_util: Any = import_module("inspect_ai.util")

_TOOK_LONG = ("max_tokens", "model_length")


def _mean_with_error() -> Any:
    """Mean of a panel with our standard error and the ends of its 95 % interval."""

    def metric(scores: Sequence[Any]) -> dict[str, float]:
        return mean_with_error(
            Scored(str(one.sample_id), one.score.as_float(), one.score.metadata or {}, one.sample_metadata or {})
            for one in scores
        )

    return metric


def _panel(
    judges: str | Sequence[str],
    prompts: str | Sequence[str] | Mapping[str, str] = "score",
    layout: LayoutName = "cyclic",
    per_item: int | None = None,
    replicates: int = 1,
    scale: Sequence[float] = (1, 10),
    labels: Mapping[str, float] | None = None,
    seed: int = 1,
) -> Any:
    """Judges of a panel, of whom each attempt at a sample is shown only to those that a layout gives it.

    Parameters
    ----------
    judges : str or sequence of str
        Models, as Inspect names them; one text has commas between them.
    prompts : str, sequence of str, or mapping of str to str
        Built-in prompts, as of a study; or templates of your own by name.
    layout, per_item, replicates, seed
        As of `quorate.study.inspect.panel.Deal`.
    scale : sequence of float
        Ends of the scale, for templates of your own.
    labels : mapping of str to float, optional
        Grades in words and their scores, for templates of your own.
    """
    if not isinstance(prompts, Mapping):
        known = {prompt.name: prompt for prompt in map(built_in, _names(prompts))}
    elif len(scale) != 2:
        raise InvalidInput(f"scale: two ends are needed, got {scale!r}")
    else:
        expects = Expects(scale[0], scale[1], labels=labels or {})
        known = {name: Prompt(name, source, expects) for name, source in prompts.items()}
    deal = Deal(_names(judges), list(known), layout, per_item, replicates, seed)

    async def score(state: Any, target: Any) -> Any:
        fields = {"prompt": state.input_text, "response": state.output.completion}
        fields |= {"reference": target.text} if target.text else {}
        calls = deal.calls(state.sample_id, state.epoch)
        asked = [_vote(known[prompt], judge, fields, number) for judge, prompt, number in calls]
        votes = await _util.collect(*asked)
        said = "; ".join(f"{vote.judge}: {vote.status if vote.score is None else f'{vote.score:g}'}" for vote in votes)
        if all(vote.score is None for vote in votes):
            return _scorer.Score.unscored(reason="scoring_failed", explanation=said, metadata=metadata(votes))
        return _scorer.Score(value=mean_of(votes), explanation=said, metadata=metadata(votes))

    return score


def _names(names: str | Sequence[str]) -> list[str]:
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


async def _vote(prompt: Prompt, judge: str, fields: Mapping[str, Any], number: int) -> Vote:
    """One call; what the judge's provider raises is a failure of this vote, and a limit of the sample is one of it."""
    turns = [
        (_model.ChatMessageSystem if turn.role == "system" else _model.ChatMessageUser)(content=turn.content)
        for turn in prompt.messages(fields)
    ]
    try:
        output = await _model.get_model(judge).generate(turns)
    except _util.LimitExceededError:
        raise
    except Exception as error:  # noqa: BLE001  (providers raise errors of their own)
        return Vote(judge, prompt.name, number, None, ERROR, " ".join(f"{type(error).__name__}: {error}".split())[:300])
    if output.error:
        return Vote(judge, prompt.name, number, None, ERROR, str(output.error)[:300])
    finish = "max_tokens" if output.stop_reason in _TOOK_LONG else output.stop_reason
    status, score, why = judged(output.completion, prompt.expects, finish=finish)
    return Vote(judge, prompt.name, number, score, status, why)


mean_with_error_metric = _scorer.metric(name="mean_with_error", scores="unreduced")(_mean_with_error)
panel = _scorer.scorer(metrics=[mean_with_error_metric()], name="panel")(_panel)
