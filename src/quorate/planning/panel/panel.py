"""Panels of judges: who is off, what one judge alone would reverse, and how to share the calls out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from quorate import rules
from quorate.arguments import argument, joined
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotConverged, NotEstimable, UnknownTerm
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.mean import Estimate, Readings, readings
from quorate.estimate.means.targets import PANEL
from quorate.estimate.panel.bias import JudgeBias, SelfPreference, judge_bias, self_preference
from quorate.estimate.panel.crossed import Crossed, crossed
from quorate.estimate.panel.judge_means import JudgeMeans, judge_means
from quorate.estimate.panel.reversals import Reversals, reversals
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.planning.designs.dstudy import Prices, Projection, check, project
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.sources import observed_counts
from quorate.planning.panel.groups import ByGroup, Groups, grouping, groups_of
from quorate.planning.panel.strategies import AS_DRAWN, Strategies, compare_strategies
from quorate.roles import GENERATION, JUDGE
from quorate.table.judgments import Judgments, checked, table_of
from quorate.table.kinds import given
from quorate.table.notes import Note
from quorate.table.read import read_first
from quorate.table.results import Result, Row, picked
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.estimate.nominal import LabelPanel

_FEWEST, _MOST = 100, 10**9
ALL = "all"
"""Name of the system where there is one only."""
_Result = TypeVar("_Result")
_Argument = TypeVar("_Argument")
_Attempt = tuple[_Result | None, str]
_ONE_GENERATION = (
    "one response to every item: what another would bring is not known; name the facet that tells responses apart by "
    + argument("generation", ...)
)


@dataclass(frozen=True)
class Sharing:
    """One way to share judge calls out over the items.

    Parameters
    ----------
    label : str
        What is done.
    projection : Projection
        Its half-width with these judges, calls and price.
    """

    label: str
    projection: Projection


@dataclass(frozen=True)
class Panel(Result):
    """What is known of a panel of judges. Made by `judges`.

    Views are computed when they are first asked for; one that the data do not allow is None or left out, and `reasons`
    says why.

    Parameters
    ----------
    judgments : Judgments
        As read, with the generations nested in the items.
    means : JudgeMeans
        Mean score of every system by every judge.
    identities : mapping of str to str, optional
        System that each judge is.
    level : float
        Coverage of every interval.
    resamples : int
        Of the bootstrap over scenarios.
    prices : mapping, optional
        As for `quorate.project`.
    grouping : ByGroup, optional
        Groups of the judges, where they are asked for.
    """

    judgments: Judgments
    means: JudgeMeans
    identities: Mapping[str, str] | None
    level: float
    resamples: int
    prices: Prices | None
    grouping: ByGroup | None = None

    entries = (
        "sentence bias reversals self_preference group_bias crossed groups strategies sharings readings "
        "weighting reasons caveats"
    )

    @cached_property
    def bias(self) -> JudgeBias:
        """Every judge against the average of the panel, overall and by system."""
        return judge_bias(self.means, level=self.level)

    @property
    def reversals(self) -> Reversals | None:
        """What every judge alone would turn round; None with one system."""
        return self._reversals[0]

    @property
    def self_preference(self) -> SelfPreference | None:
        """Judges on the systems that they are; None where no judge is one."""
        return self._self_preference[0]

    @property
    def exit_code(self) -> int:
        """2 where one judge alone would reverse an order, or prefers itself, beyond chance; else 0."""
        return 2 if any(found is not None and found.sure for found in (self.reversals, self.self_preference)) else 0

    @property
    def crossed(self) -> Mapping[str, Crossed]:
        """Components and tests of the crossed scores of every system, under both models."""
        return _there(self._crossed)

    @property
    def fits(self) -> Mapping[str, Decomposition]:
        """Components of every system by REML, the judges taken as this panel."""
        return _there(self._fits)

    @property
    def readings(self) -> Mapping[str, Readings]:
        """Mean of every system for this study's setup and for others like it, as `quorate.analyze` has it."""
        return _there(self._readings)

    @property
    def strategies(self) -> Mapping[str, Strategies]:
        """All judges, a random one or judges in turn, for the same calls per item, by system."""
        return _there(self._strategies)

    @property
    def sharings(self) -> Mapping[str, tuple[Sharing, ...]]:
        """All judges for every item, or one per item in turn or at random, by system."""
        return _there(self._sharings)

    @property
    def group_bias(self) -> JudgeBias | None:
        """Every group of judges against the average of the groups; None without groups."""
        return self._group_bias[0]

    @property
    def groups(self) -> Mapping[str, Groups]:
        """Groups of judges side by side, by system."""
        return _there(self._groups)

    @property
    def sentence(self) -> str:
        """Who is off, who prefers itself, and whether one judge alone would reverse an order."""
        own = self.self_preference
        themselves = own.sentence if own is not None and own.sure else ""
        order = self.reversals.sentence if self.reversals else ""
        return " ".join(filter(None, (self.bias.sentence, themselves, order)))

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why a view is not there, by its name and, with several systems, the system."""
        out = {"reversals": self._reversals[1], "self_preference": self._self_preference[1]}
        out |= {"group_bias": self._group_bias[1]}
        views: dict[str, Mapping[str, tuple[object, str]]]
        views = {"crossed": self._crossed, "strategies": self._strategies, "sharings": self._sharings}
        views |= {"groups": self._groups}
        for view, found in views.items():
            out |= {view if name == ALL else f"{view} ({name})": why for name, (_, why) in found.items()}
        return {name: why for name, why in out.items() if why}

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know, each once; with the system it is about, unless it is about all of them."""
        systems = self.means.systems
        about: dict[Caveat, list[str]] = {caveat: list(systems) for caveat in self.means.caveats}
        for name, study in self.crossed.items():
            for caveat in study.caveats:
                about.setdefault(caveat, []).append(name)
        return tuple(
            caveat if len(names) == len(systems) else replace(caveat, sentence=f"{listed(names)}: " + caveat.sentence)
            for caveat, names in about.items()
        )

    def rows(self) -> list[Row]:
        """Biases, one for every judge and system."""
        return self.bias.rows()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return super().to_dict() | {
            "sharings": {
                name: [{"label": one.label, **one.projection.to_dict()} for one in found]
                for name, found in self.sharings.items()
            },
            "readings": {
                name: {"setup": of_mean(found.setup), "others": found.others and of_mean(found.others)}
                | {"others_reason": found.reason}
                for name, found in self.readings.items()
            },
        }

    @property
    def weighting(self) -> Mapping[str, str]:
        """How scores are averaged in `strategies` and in `sharings`: a judge drawn at random differs by it."""
        said = {"strategies": AS_DRAWN, "sharings": EQUALLY}
        return {name: words for name, words in said.items() if getattr(self, name)}

    @cached_property
    def _reversals(self) -> _Attempt[Reversals]:
        return _attempt(partial(reversals, level=self.level), self.means)

    @cached_property
    def _self_preference(self) -> _Attempt[SelfPreference]:
        return _attempt(partial(self_preference, identities=self.identities, level=self.level), self.means)

    @cached_property
    def _crossed(self) -> dict[str, _Attempt[Crossed]]:
        make = partial(crossed, level=self.level, resamples=self.resamples)
        return {name: _attempt(make, part) for name, part in self._parts.items()}

    @cached_property
    def _fits(self) -> dict[str, _Attempt[Decomposition]]:
        def fit(judgments: Judgments) -> Decomposition:
            facets = [replace(f, fixed=True) if f.name == JUDGE else f for f in judgments.facets]
            return decompose(replace(judgments, facets=tuple(facets)))

        return {name: _attempt(fit, part) for name, part in self._parts.items()}

    @cached_property
    def _readings(self) -> dict[str, _Attempt[Readings]]:
        def both(judgments: Judgments) -> Readings:
            found = readings(decompose(judgments))
            others = found.others and found.others.at(self.level)
            return replace(found, setup=found.setup.at(self.level), others=others)

        return {name: _attempt(both, part) for name, part in self._parts.items()}

    @cached_property
    def _strategies(self) -> dict[str, _Attempt[Strategies]]:
        if GENERATION not in self.judgments.names:
            return dict.fromkeys(self.means.systems, (None, _ONE_GENERATION))
        return self._from_fits(partial(compare_strategies, prices=self.prices))

    @cached_property
    def _sharings(self) -> dict[str, _Attempt[tuple[Sharing, ...]]]:
        return self._from_fits(partial(_sharings_of, prices=self.prices))

    @cached_property
    def _group_bias(self) -> _Attempt[JudgeBias]:
        by = self.grouping
        if by is None:
            return None, ""
        make = partial(judge_bias, level=self.level, judge=by.role, system=self.means.system)
        return _attempt(make, by.added(self.judgments))

    @cached_property
    def _groups(self) -> dict[str, _Attempt[Groups]]:
        if self.grouping is None:
            return {}
        make = partial(groups_of, by=self.grouping, prices=self.prices, level=self.level, resamples=self.resamples)
        return {name: _attempt(make, part) for name, part in self._parts.items()}

    @cached_property
    def _parts(self) -> dict[str, Judgments]:
        """The judgments of every system."""
        role = self.means.system
        return {
            name: self.judgments if role is None else self.judgments.only(role, name) for name in self.means.systems
        }

    def _from_fits(self, make: Callable[[Decomposition], _Result]) -> dict[str, _Attempt[_Result]]:
        fits = self._fits.items()
        return {name: (None, why) if fit is None else _attempt(make, fit) for name, (fit, why) in fits}


@partial(read_first, about=JUDGE)
def judges(
    judgments: Judgments,
    *,
    system: str | None = None,
    generation: str | None = None,
    identities: Mapping[str, str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    prices: Prices | None = None,
    group: str | Mapping[str, str] | None = None,
) -> Panel | LabelPanel:
    """Which judge is off and by how much, whether one alone would reverse a ranking, and how to share the calls out.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, with several judges.
    system : str, optional
        Role of what is evaluated and ranked. Default: system, if there are several. Else all is one system.
    generation : str, optional
        Role of what tells responses to an item apart. Default: generation, if there is one.
    identities : mapping of str to str, optional
        System that a judge is, by judge, such as ``{"gpt": "GPT"}``. Default: equal names, whatever their case. For
        self-preference.
    level : float
        Coverage of the intervals.
    resamples : int
        Of the bootstrap over scenarios.
    prices : mapping, optional
        As for `quorate.project`; strategies are then compared with what they cost.
    group : str or mapping of str to str, optional
        Groups of judges, such as tiers, to compare: the facet that has one level for every judge, such as ``"tier"``
        of ``q.read(file, nested={"judge": "tier"})``; ``"auto"`` for the makers that names tell; or the group of each
        judge, such as ``{"gpt-4o": "mid", "gpt-5": "frontier"}``. Each then has its own components (`Panel.groups`),
        its mean beside the others' (`Panel.group_bias`), and what panels out of it alone are worth for the same money.

    Returns
    -------
    Panel or LabelPanel
        Of labels, how far judges agree on them.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If an option breaks a rule.
    NotEstimable
        If there is one judge, or a judge has not scored a system.

    References
    ----------
    Zhu et al. (2026), CyclicJudge. ``docs/methods/panels.md`` and ``docs/methods/strategies.md``.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 4]})
    >>> [(one.judge, round(one.bias, 2)) for one in judges(q.read(frame)).bias.overall]
    [('x', -0.67), ('y', 0.67)]
    """
    checked_level(level)
    if table_of(judgments).labels:
        asked = {"system": system, "generation": generation, "identities": identities, "prices": prices, "group": group}
        for name in given(asked):
            raise InvalidInput(f"{name}: is for scores, and these are labels; leave it out")
        from quorate.estimate.nominal import LabelPanel, labels

        found = labels(judgments, level=level)
        return LabelPanel(**{one.name: getattr(found, one.name) for one in fields(found)})
    if JUDGE not in checked(judgments).names:
        known = "facets: no column is the judge; name it, " + argument("facets", {JUDGE: ...})
        agree, several = argument("labels", True) + " says how far they agree", bool((judgments.n > 1).any())
        raise InvalidInput(joined("; of raters whom nothing names, ", [known, agree]) if several else known)
    answered = judgments.keep(judgments.n > 0)
    if answered.n_cells and np.ptp(answered.mean) == 0 and not answered.ss.any():
        score = answered.mean[0]
        raise NotEstimable(f"all {answered.n_answers:,} scores are equal ({score:g}): nothing varies")
    rules.whole("resamples", resamples, _FEWEST, _MOST)
    judgments = _of_several_items(judgments)
    if prices is not None:
        check(prices)
    by = None
    if group is not None:
        judgments, by = grouping(judgments, group)
    named = _nested_generation(judgments, generation)
    result = Panel(named, judge_means(named, system=system), identities, level, resamples, prices, by)
    if identities is not None:
        self_preference(result.means, identities=identities, level=level)  # a name that is wrong is no missing view
    return result


def _of_several_items(judgments: Judgments) -> Judgments:
    """The same without judges of one item alone, which has no spread, if two others at least judged more; said."""
    judge, answered = judgments.column(JUDGE), judgments.n > 0
    pairs = np.unique(np.stack([judge, judgments.column(judgments.object)])[:, answered], axis=1)
    items = np.bincount(pairs[0], minlength=judgments.n_levels(JUDGE))
    once, several = items == 1, items > 1
    if not once.any() or several.sum() < len(("two", "judges")):
        return judgments
    said = Note(f"{once.sum():,} of {(items > 0).sum():,} judges left out, who judged one item alone")
    return replace(judgments.keep(~once[judge]), notes=(said, *judgments.notes))


def _nested_generation(judgments: Judgments, name: str | None) -> Judgments:
    """The same with the generation under that role, nested in the item."""
    name = name or (GENERATION if GENERATION in judgments.names else None)
    if name is None:
        return judgments
    facet = judgments.facet(name)
    if name in (judgments.object, JUDGE):
        raise InvalidInput(f'generation: "{name}" is no response to an item; name the facet that tells responses apart')
    if name != GENERATION and GENERATION in judgments.names:
        raise InvalidInput(f'generation: there is a facet "generation" already; got "{name}"')
    parent = facet.parent or judgments.object
    facets = [
        replace(f, name=GENERATION, parent=parent, fixed=False) if f.name == name else f for f in judgments.facets
    ]
    return replace(judgments, facets=tuple(facets))


def _attempt(make: Callable[[_Argument], _Result], of: _Argument) -> _Attempt[_Result]:
    """What a view is, or why it is not there."""
    try:
        return make(of), ""
    except (NotEstimable, InvalidInput, UnknownTerm, NotConverged) as error:
        return None, str(error)


def _there(found: Mapping[str, _Attempt[_Result]]) -> dict[str, _Result]:
    return {name: view for name, (view, _) in found.items() if view is not None}


def of_mean(found: Estimate) -> dict[str, Any]:
    """A mean with its interval and whom it speaks for, as plain values."""
    return picked(found, "value se df n level low high scope")


EQUALLY = "All judges count equally in these means, however often each is drawn."


def _sharings_of(fit: Decomposition, prices: Prices | None) -> tuple[Sharing, ...]:
    """Ways to share the calls, for this panel and items like these."""
    item = fit.judgments.object
    items, judges = fit.judgments.n_levels(item), fit.judgments.n_levels(JUDGE)
    others = {name: count for name, count in observed_counts(fit).items() if count > 1 and name not in (item, JUDGE)}
    each = "".join(f" x {counted(count, name)}" for name, count in others.items())
    ways: Sequence[tuple[str, int, LayoutName]] = (
        (f"every judge for {counted(items, item)}{each}", items, "factorial"),
        (f"one judge at random for {counted(items, item)}{each}", items, "random"),
        (f"one judge in turn for {counted(items, item)}{each}", items, "cyclic"),
        (f"one judge in turn for {counted(judges * items, item)}{each}", judges * items, "cyclic"),
    )
    once = partial(project, fit, replicates=1, prices=prices, targets={JUDGE: PANEL})
    return tuple(Sharing(label, once(items=count, layout=layout)) for label, count, layout in ways)
