"""Panel: judges of a sample in Inspect AI, only those that a layout gives it. Inspect loads this, nothing else does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from quorate.collect.judge import ERROR, Expects
from quorate.collect.parse import judged
from quorate.collect.prompt import Prompt, built_in
from quorate.errors import InvalidInput
from quorate.planning.designs.names import LayoutName
from quorate.study.inspect.deal import Deal, Scored, Vote, mean_of, mean_with_error, metadata

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
        As of `quorate.study.inspect.deal.Deal`.
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
