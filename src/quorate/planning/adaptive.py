"""Adaptive allocation of live judge calls: what to ask next, given what has been answered so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.numerics.sequential.bandit import Objective, Rule, Variant, affordable, least_budget
from quorate.numerics.sequential.confidence_sequence import Method
from quorate.numerics.sequential.replay import forced
from quorate.planning.arms import Arms, arms_of, by_arm, prices_of, scales
from quorate.planning.policy import SLACK, Boundary, Name, Policy, Precision
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.progress import Progress, crossed, judged

_MOST_FAILURES = 1_000_000


def adaptive(
    policy: Name = "robin-hood",
    *,
    arms: Iterable[object] | Mapping[str, Iterable[object]] | Judgments | Progress,
    budget: float,
    scale: Iterable[float] | Mapping[str, Iterable[float]] | None = None,
    bounds: Sequence[float] | None = None,
    floor: bool = True,
    variances: Any = None,
    variant: Variant = "experiment",
    delta: float = 0.007,
    objective: Objective = "worst",
    at: float | None = None,
    between: str | None = None,
    tolerance: float | None = None,
    decide: bool = False,
    weights: Any = None,
    prices: Mapping[str, Any] | None = None,
    cycle: str | None = None,
    attributes: Sequence[str] | Mapping[str, float] = (),
    attribute: str | None = None,
    target: float | None = None,
    level: float = 0.95,
    interval: Method = "anytime",
    together: bool = True,
    give_up: int = 5,
    seed: int = 1,
) -> Policy:
    """A policy that says which judge calls to make next, so that a budget goes where scores are uncertain.

    Ask `Policy.next_cells` for a batch of calls, make them, and add the answers to the progress; again, until
    `Policy.done`. ROBIN-HOOD first asks every arm a few times, then always the one whose mean is least certain.

    Parameters
    ----------
    policy : {"robin-hood", "robin", "uniform"}
        ``robin`` needs ``variances``; ``uniform`` asks every arm equally often.
    arms : sequence of labels, mapping, Judgments or Progress
        What is to be measured: items; or labels of several facets, such as ``{"item": [...], "judge": [...]}``, every
        combination an arm; or the cells of a table.
    budget : float
        Calls, or money where there are ``prices``.
    scale : sequence of float, optional
        The possible scores, such as ``range(1, 6)``; by attribute where they differ. ROBIN-HOOD needs it for the floor
        of variances, and intervals for their bounds.
    bounds : (float, float), optional
        Least and greatest score of a continuous scale, instead of ``scale``.
    floor : bool
        Whether a variance found to be 0 counts as what may still be there; it needs ``scale``.
    variances : mapping or array, optional
        Known variance of every arm, for ``robin``.
    variant, delta
        Constants of ROBIN-HOOD; see `quorate.scores.simulate_allocation`.
    objective : {"worst", "average", "boundary"}
        What is to be small: the error of the worst arm, the mean squared error, or the doubt on which side of a
        boundary each arm is.
    at, between : float or str, optional
        For ``boundary``: a threshold; or a facet of two levels, such as ``system``, whose difference is to have a sign.
    tolerance : float, optional
        For ``boundary``: distance from it that does not matter, above 0. Without it two equal systems would take all.
    decide : bool
        For ``boundary``: whether an arm is left alone once it is known, at the level, on which side it is, or that it
        is within the tolerance; the policy stops when that is so of all.
    weights : mapping or array, optional
        Importance of every arm, a factor of its squared error.
    prices : mapping, optional
        ``{"call": price}``, or by label of a facet, such as ``{"judge": {"large": 0.02, "small": 0.001}}``.
    cycle : str, optional
        Facet, such as ``judge``, whose levels are all asked in one pull, so that no judge weighs more than another.
    attributes : sequence of str, or mapping of str to float
        What every answer scores, where that is more than one thing; with the unit in which its error counts.
    attribute : str, optional
        Where ``arms`` are Judgments: their facet whose levels are the attributes; it is no facet of the arms then.
    target : float, optional
        Half-width at which every arm is known well enough: the policy stops there.
    level, interval
        Of the intervals; see `quorate.numerics.sequential.confidence_sequence.interval`.
    together : bool
        Whether the level is that of all intervals at once, or of each.
    give_up : int
        Failures in a row after which an arm is given up; so is one of which surely more than 80% of the calls fail.
    seed : int
        For the order among equals.

    Returns
    -------
    Policy

    Raises
    ------
    InvalidInput
        If an option breaks its rule, or the budget is too small for the warm-up.

    References
    ----------
    LLM-as-Judge on a Budget (2026), arXiv 2602.15481, Algorithms 1 and 2. For ``boundary``: Locatelli, Gutzeit and
    Carpentier (2016), ICML.

    Examples
    --------
    >>> import quorate as q
    >>> policy = q.scores.adaptive(arms=["easy", "hard"], budget=60, scale=range(1, 6), seed=1)
    >>> progress = policy.start()
    >>> judge = {"easy": lambda k: 5, "hard": lambda k: 1 + 2 * (k % 3)}
    >>> while not policy.done(progress):
    ...     cells = policy.next_cells(progress, batch=4)
    ...     scores = [judge[item](k) for item, k in zip(cells.column("item"), cells.replicate)]
    ...     progress = progress.answered(cells, scores)
    >>> dict(zip(policy.arms.names, policy.pulls(progress).tolist()))
    {'easy': 21, 'hard': 39}
    """
    rules.one_of("policy", policy, Name)
    units = dict.fromkeys(attributes, 1.0) if not isinstance(attributes, Mapping) else dict(attributes)
    _objective(policy, objective, at, between, tolerance, weights, units)
    if decide and objective != "boundary":
        raise InvalidInput('decide: "boundary" is the objective with sides to be known; for others give target')
    template = _template(arms, tuple(units), attribute)
    group = arms_of(template.roster, cycle=cycle, between=between)
    of_scores, price = scales(scale, bounds, template.attributes), prices_of(prices, template.roster)
    columns, each = len(of_scores), tuple(units.get(name, 1.0) for name in template.attributes) or (1.0,)
    rules.number("budget", budget, above=0)
    if (policy == "robin") != (variances is not None):
        raise InvalidInput('variances: "robin" needs the variance of every arm, the other policies do not use them')
    known = np.ones((len(group), columns)) if policy == "uniform" else None
    if variances is not None:
        known = by_arm(variances, "variances", group.names, columns, zero=True)
    lam, warmup = _warmup(policy, group, price, budget, variant, delta)
    steps = [own.step if floor and policy == "robin-hood" else None for own in of_scores]
    if floor and policy == "robin-hood" and None in steps:
        raise InvalidInput("scale: the possible scores, such as range(1, 6), are needed for the floor; or floor=False")
    heavy = by_arm(np.ones(len(group)) if weights is None else weights, "weights", group.names, 1, zero=False)
    sides = len(group) // (1 if group.partner is None else 2)  # what is to be told apart: every arm, or every pair
    rule = Rule(lam, None, objective, heavy, price[group.cells].sum(axis=1)[:, None], at or 0.0, tolerance or 0.0)
    own_rules = []  # errors count in the unit of an attribute; at a boundary they are relative to a distance anyway
    for step, unit in zip(steps, each, strict=True):
        own = replace(rule, step=None if step is None else step / group.parts)
        beside = {"tolerance": rule.tolerance * unit} if objective == "boundary" else {"weight": heavy / unit**2}
        own_rules.append(replace(own, **beside))
    return Policy(
        name=policy,
        arms=group,
        attributes=template.attributes,
        budget=float(budget),
        price=price,
        priced=prices is not None,
        rules=tuple(own_rules),
        known=known,
        warmup=warmup,
        precision=Precision(
            target,
            level,
            interval,
            of_scores,
            each,
            group.parts,
            len(group) * columns if together else 1,
            warmup,
            None if tolerance is None else Boundary(at or 0.0, tolerance, group.partner, decide),
            sides * columns if together else 1,
        ),
        unit=np.array([own.step or 1.0 for own in of_scores]),
        rank=stream(seed, "adaptive").permutation(len(group)),
        give_up=rules.whole("give_up", give_up, 1, _MOST_FAILURES),
    )


def _template(arms: Any, attributes: tuple[str, ...], attribute: str | None) -> Progress:
    """The progress before anything was asked, from labels, a table or another progress."""
    if isinstance(arms, Judgments):
        levels = () if attribute is None else arms.facet(attribute).levels
        if attribute is not None and attributes and set(attributes) != set(levels):
            raise InvalidInput(f"attributes: {attribute} has the levels {list(levels)}, got {list(attributes)}")
        alike = [name for name in arms.names if attributes and set(arms.facet(name).levels) == set(attributes)]
        if attribute is None and alike:
            raise InvalidInput(f'attribute: the attributes are the levels of {alike[0]}; give attribute="{alike[0]}"')
        return Progress.start(judged(arms, attribute), attributes=attributes or levels)
    if attribute is not None:
        raise InvalidInput(f'attribute: "{attribute}" can be a facet of Judgments alone; name the attributes instead')
    if not isinstance(arms, Progress):
        return Progress.start(crossed(arms), attributes=attributes)
    if attributes and arms.attributes != attributes:
        raise InvalidInput(f"attributes: the progress has {list(arms.attributes)}, got {list(attributes)}")
    return Progress.start(arms.roster, attributes=arms.attributes)


def _objective(
    policy: Name,
    objective: Objective,
    at: float | None,
    between: str | None,
    tolerance: float | None,
    weights: Any,
    units: Mapping[str, float],
) -> None:
    """Refuse objectives that contradict themselves."""
    rules.one_of("objective", objective, Objective)
    if policy == "uniform" and (objective != "worst" or weights is not None):
        raise InvalidInput(
            "policy: uniform asks every arm equally often, whatever the objective or weights; leave them out"
        )
    if (objective == "boundary") != ((at is None) != (between is None)):
        raise InvalidInput(
            'objective: "boundary" needs either at=, a threshold, or between=, a facet; others need none'
        )
    if (objective == "boundary") != (tolerance is not None):
        raise InvalidInput('tolerance: "boundary" needs a distance that does not matter, such as 0.5; others need none')
    if at is not None and not math.isfinite(at):
        raise InvalidInput(f"at: a finite score, got {at}")
    for name, value in (*units.items(), *([("tolerance", tolerance)] if tolerance is not None else [])):
        rules.number(name, value, above=0)


def _warmup(
    policy: Name, arms: Arms, price: Floats, budget: float, variant: Variant, delta: float
) -> tuple[float, int]:
    """Constant of the bound, and pulls of every arm before its variance counts, if the budget has room for them."""
    each = float(price[arms.cells].sum()) / len(arms)
    if policy != "robin-hood":
        if each * len(arms) > budget * (1 + SLACK):
            raise InvalidInput(
                f"budget: one pull of each of {len(arms):,} arms takes {each * len(arms):,g}, got {budget:,g}"
            )
        return 0.0, 1
    pulls = math.floor(budget * (1 + SLACK) / each)
    if each == 1:
        found = affordable(variant, len(arms), pulls, delta)
        return found.lam, forced(found)
    try:
        found = affordable(variant, len(arms), max(pulls, 1), delta)
    except InvalidInput as error:
        if not str(error).startswith("budget"):
            raise
        least = least_budget(variant, len(arms), delta) * each
        raise InvalidInput(
            f"budget: the warm-up of ROBIN-HOOD for {len(arms):,} arms takes {least:,g}, got {budget:,g}; "
            f"give budget={math.ceil(least):,} or a greater delta"
        ) from None
    return found.lam, forced(found)
