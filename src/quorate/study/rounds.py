"""Adaptive studies: what to ask next follows from the answers so far, round by round, until a target or the budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from quorate.collect.ledger import Ledger
from quorate.collect.runner_outcome import Ended, Outcome
from quorate.errors import InvalidInput
from quorate.plan.adaptive import adaptive
from quorate.plan.adaptive_policy import Policy
from quorate.study.file import Adaptive
from quorate.study.questions import ITEM, JUDGE, PROMPT, Questions
from quorate.table.progress import Progress

Arms = Mapping[str, tuple[object, ...]]
Collect = Callable[[], Awaitable[Outcome]]


def policy_of(asked: Questions) -> Policy:
    """The policy of an adaptive study; every combination of its facets is an arm, or every one but those of a cycle.

    Raises
    ------
    InvalidInput
        If the study is not adaptive or has no budget in calls, or the budget is too small for the first round.
    """
    settings, calls = asked.study.adaptive, asked.study.budget.calls
    if settings is None or calls is None:
        raise InvalidInput("budget: an adaptive study shares out calls; give budget.calls")
    arms = {ITEM: asked.items.names, PROMPT: tuple(asked.prompts), JUDGE: tuple(asked.judges), **asked.levels}
    try:
        return _policy(asked, arms, calls, settings)
    except InvalidInput as error:
        said = str(error).replace("budget=", "budget.calls: ")
        raise InvalidInput(f"adaptive: {said}") from None


def _policy(asked: Questions, arms: Arms, calls: int, settings: Adaptive) -> Policy:
    scale = asked.scale
    whole = bool(scale.points) and not scale.expected
    return adaptive(
        settings.name,
        arms=arms,
        budget=calls,
        scale=scale.points if whole else None,
        bounds=None if whole else (scale.low, scale.high),
        floor=whole,
        objective=settings.objective,
        cycle=settings.cycle,
        target=settings.target,
        seed=asked.study.seed,
    )


def so_far(ledger: Ledger, policy: Policy) -> Progress:
    """How far the arms have come, by the ledger.

    Raises
    ------
    InvalidInput
        If cells of the ledger are no arms of the policy.
    """
    try:
        return ledger.progress(policy.start())
    except InvalidInput as error:
        raise InvalidInput(
            f"ledger: {ledger.path} does not fit the study's items, prompts, judges and temperatures ({error}); "
            "start a new ledger for the changed study"
        ) from None


async def in_rounds(
    ledger: Ledger, asked: Questions, prices: Mapping[str, float | None], collect: Collect
) -> tuple[Outcome, str]:
    """Ask in rounds until the policy is done, the budget spent, or a judge does not answer.

    Parameters
    ----------
    ledger : Ledger
        With what the study depends on declared.
    asked : Questions
        Of the study.
    prices : mapping of str to float
        Worst-case price of a call, by judge.
    collect : callable
        Asks everything that is planned.

    Returns
    -------
    Outcome
        Of all rounds together.
    str
        What the policy has reached, in a sentence.
    """
    settings, policy = asked.study.adaptive, policy_of(asked)
    batch = 1 if settings is None else settings.batch
    so_far(ledger, policy)
    total = await collect()
    last, progress = ledger.last, so_far(ledger, policy)
    while total.complete and not policy.done(progress):
        cells = policy.next_cells(progress, batch)
        if not len(cells):
            raise InvalidInput(f"adaptive.batch: {batch} is less than the calls of one cycle; raise it")
        ledger.plan(cells, asked.keys(cells), prices)
        total = _both(total, await collect())
        if total.complete:
            last, progress = ledger.last, ledger.progress(progress, after=last)
    if not total.complete:
        progress = so_far(ledger, policy)
    elif settings is not None and settings.target is not None and not policy.reached(progress):
        total = replace(total, ended=Ended.BUDGET)
    return total, policy.sentence(progress)


def _both(first: Outcome, then: Outcome) -> Outcome:
    """Two rounds as one run."""
    judges = first.calls.keys() | then.calls.keys()
    return replace(
        then,
        finished=first.finished + then.finished,
        given_up=first.given_up + then.given_up,
        calls={name: first.calls.get(name, 0) + then.calls.get(name, 0) for name in sorted(judges)},
        late=first.late + then.late,
        seconds=first.seconds + then.seconds,
    )
