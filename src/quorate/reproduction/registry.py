"""The studies, in the order of their papers; one more is a file in ``studies/`` and a line here."""

from __future__ import annotations

from collections.abc import Sequence

from quorate.errors import InvalidInput
from quorate.reproduction.studies.archive import (
    answers,
    arena,
    budget,
    coverage,
    designs,
    pilot,
    refits,
)
from quorate.reproduction.studies.budget import bounds, people, worst_case
from quorate.reproduction.studies.cyclic import panel, strategies
from quorate.reproduction.studies.lee import chats, risk, tables, two_stages, wmt15
from quorate.reproduction.studies.tee import (
    additivity,
    ambiguity,
    battles,
    best_of,
    convergence,
    few_prompts,
    frontier,
    heteroscedastic,
    ideology,
    logit,
    misspecified,
    mmlu,
    pathologies,
    portability,
    propaganda,
    safety,
    scoring,
    single,
    staircase,
)
from quorate.reproduction.study import AnyStudy

STUDIES: tuple[AnyStudy, ...] = (
    safety.STUDY,
    frontier.STUDY,
    ideology.LIKERT,
    ideology.PAIRWISE,
    mmlu.STUDY,
    logit.STUDY,
    single.STUDY,
    best_of.STUDY,
    propaganda.STUDY,
    pilot.STUDY,
    answers.STUDY,
    refits.SAFETY,
    refits.LIKERT,
    budget.STUDY,
    coverage.STUDY,
    arena.TABLE_17,
    arena.FIG_21,
    arena.FIG_23,
    designs.STUDY,
    convergence.STUDY,
    additivity.STUDY,
    heteroscedastic.STUDY,
    few_prompts.STUDY,
    few_prompts.EDGE,
    portability.STUDY,
    misspecified.STUDY,
    scoring.STUDY,
    pathologies.STUDY,
    staircase.STUDY,
    ambiguity.STUDY,
    battles.STUDY,
    panel.TABLE_1,
    panel.TABLE_2,
    panel.F,
    strategies.STUDY,
    tables.STUDY,
    two_stages.STUDY,
    risk.STUDY,
    chats.STUDY,
    wmt15.STUDY,
    wmt15.REPLAY,
    bounds.STUDY,
    worst_case.STUDY,
    people.STUDY,
)


def by_id(name: str) -> AnyStudy:
    """The study of this name."""
    return next(one for one in STUDIES if one.id == name)


def chosen(ids: Sequence[str]) -> tuple[AnyStudy, ...]:
    """Studies by their names, or by the first part of these; all without any.

    Raises
    ------
    InvalidInput
        If there is no such study.
    """
    for asked in ids:
        if not any(_is(one, asked) for one in STUDIES):
            known = ", ".join(one.id for one in STUDIES)
            raise InvalidInput(f'no study "{asked}"; there are {known}')
    return tuple(one for one in STUDIES if not ids or any(_is(one, asked) for asked in ids))


def _is(study: AnyStudy, asked: str) -> bool:
    return study.id == asked or study.id.split(".")[0] == asked
