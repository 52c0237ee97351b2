"""Judge bias: each judge against the average of the panel, by system, and for the system that it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import NotEstimable, UnknownTerm
from quorate.estimate.differences.spread import JointTest
from quorate.estimate.panel.judge_means import JudgeMeans, MeansResult, means_of
from quorate.frozen import dataclass
from quorate.numerics.inference import holm
from quorate.table.judgments import Judgments
from quorate.table.results import Row
from quorate.wording import at_level, counted, listed, plural

_OF_ITSELF = ("own", "elsewhere", "effect", "se", "df", "low", "high", "p", "p_holm")


@dataclass(frozen=True)
class Preference:
    """One judge on the system that it is.

    Parameters
    ----------
    judge, system : str
        Labels.
    own : float
        Its mean score of this system, less that of the judges it is compared with.
    elsewhere : float
        The same on the other systems, averaged.
    effect : float
        ``own - elsewhere``; positive: it prefers itself.
    se, df : float
        Standard error and degrees of freedom.
    low, high : float
        Interval for this judge alone.
    p, p_holm : float
        Two-sided p-value that there is no preference, and the same adjusted for all judges here.
    lift : float
        What the effect adds to the mean of the whole panel for this system: ``effect / judges``.
    shared_with : tuple of str
        Judges whose preference for themselves cannot be told from this one's; ``effect`` is then the average of both.
        Empty where it can.
    n : int
        Answers of this judge.
    """

    judge: str
    system: str
    own: float
    elsewhere: float
    effect: float
    se: float
    df: float
    low: float
    high: float
    p: float
    p_holm: float
    lift: float
    shared_with: tuple[str, ...]
    n: int


@dataclass(frozen=True)
class SelfPreference(MeansResult):
    """Every judge that is also a system. Made by `self_preference`.

    Parameters
    ----------
    means : JudgeMeans
        What the effects are contrasts of.
    preferences : tuple of Preference
        One for every judge that is a system.
    by_label : bool
        Whether they were matched by equal labels, not by ``identities``.
    level : float
        Coverage of each interval.
    """

    means: JudgeMeans
    preferences: tuple[Preference, ...]
    by_label: bool
    level: float

    entries = "rows=preferences by_label level method=means.method sentences scope"

    @property
    def identities(self) -> Mapping[str, str]:
        """System that each judge is."""
        return {row.judge: row.system for row in self.preferences}

    @property
    def sure(self) -> tuple[Preference, ...]:
        """Effects that are not zero, all looked at together (Holm)."""
        return tuple(row for row in self.preferences if row.p_holm < 1 - self.level)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is found of every judge."""
        found = []
        for row in self.preferences:
            who = listed((row.judge, *row.shared_with)) + (" on average" if row.shared_with else "")
            verb, self_ = ("score", "themselves") if row.shared_with else ("scores", "itself")
            chance = "" if row in self.sure else ", which may be chance"
            whose = "their" if row.shared_with else "its"
            against = f"than {whose} other scores and the other {plural(self.means.judge)} suggest"
            found.append(
                f"{who} {verb} {self_} {abs(row.effect):.3g} {'higher' if row.effect > 0 else 'lower'} {against} "
                f"({at_level(self.level)} interval {row.low:.3g} to {row.high:.3g}{chance})."
            )
        return tuple(found)

    @property
    def sentence(self) -> str:
        """The effects that are sure."""
        said = zip(self.preferences, self.sentences, strict=True)
        return " ".join(sentence for row, sentence in said if row in self.sure)

    @property
    def scope(self) -> str:
        """What an effect is not."""
        return (
            "A fixed panel keeps self-preference in its mean, and no interval removes it. It may also be quality that "
            "only this judge sees: without gold labels the two cannot be told apart."
        )

    def rows(self) -> list[Row]:
        """One row for every judge that is a system."""
        return [asdict(row) | {"shared_with": ", ".join(row.shared_with)} for row in self.preferences]


def self_preference(
    source: Judgments | JudgeMeans, *, identities: Mapping[str, str] | None = None, level: float = 0.95, **options: Any
) -> SelfPreference:
    """Whether a judge scores the system that it is higher than its other scores, and the other judges, would suggest.

    Parameters
    ----------
    source : Judgments or JudgeMeans
        From `quorate.read`, or the means of these judgments.
    identities : mapping of str to str, optional
        System that a judge is, by judge. Default: equal labels, whatever their case.
    level : float
        Coverage of each interval, in (0, 1).
    **options
        As for `judge_means`: ``judge``, ``system``, ``generation``, ``method``.

    Returns
    -------
    SelfPreference

    Raises
    ------
    UnknownTerm
        If ``identities`` names a judge or system that is not there.
    NotEstimable
        If no judge is a system, there are fewer than 2 systems, or all judges are the same system.

    Notes
    -----
    With ``m_ls`` the mean score of system ``s`` by judge ``l``, which is system ``s``, the effect is the mean of
    ``(m_ls - m_ks) - (m_lt - m_kt)`` over other judges ``k`` and other systems ``t``: leniency of judges and quality of
    systems cancel. The judge itself is not in what it is compared with, for that would shrink the effect by ``1 / K``;
    nor is any other judge's score of itself, for if all judges prefer themselves by ``d``, those scores would raise
    the effect to ``d K / (K - 1)``. Two judges that are the only two systems leave only the sum of both preferences:
    their average is given for each, and ``shared_with`` says so.

    References
    ----------
    Zhu et al. (2026), CyclicJudge, section 4.2.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = [(i, j, s, i % 3 + (j == s) + (i * ord(j)) % 2) for i in range(9) for j in "abc" for s in "ab"]
    >>> frame = polars.DataFrame(rows, schema=["item", "judge", "system", "score"], orient="row")
    >>> {row.judge: round(row.effect, 2) for row in self_preference(q.read(frame)).preferences}
    {'a': 1.0, 'b': 1.0}
    """
    means = means_of(source, level, options)
    if len(means.systems) < 2:
        raise NotEstimable("1 system: a judge's view of itself needs another system to be compared with; add one")
    pairs = _identities(means, identities)
    if not pairs:
        raise NotEstimable(
            f"no judge is one of the systems by its label (judges {listed(means.judges)}; systems "
            f"{listed(means.systems)}); say which by "
            + argument("identities", {...: ...}, text="identities={judge: system}")
        )
    compared = [_comparison(means, pairs, judge) for judge in pairs]
    effects = means.contrast(np.array([comparison.effect for comparison in compared]))
    own = [float(np.sum(comparison.own * means.mean)) for comparison in compared]
    elsewhere = [float(np.sum(comparison.elsewhere * means.mean)) for comparison in compared]
    p = effects.p
    tests = (*effects, *effects.interval(level), p, holm(p))
    columns = (np.array(own), np.array(elsewhere), *tests)
    out = []
    for i, ((judge, system), comparison) in enumerate(zip(pairs.items(), compared, strict=True)):
        value = {name: float(column[i]) for name, column in zip(_OF_ITSELF, columns, strict=True)}
        who, n = means.judges[judge], int(means.n[judge].sum())
        lift = value["effect"] / len(means.judges)
        out.append(Preference(who, means.systems[system], **value, lift=lift, shared_with=comparison.shared_with, n=n))
    return SelfPreference(means, tuple(out), identities is None, level)


def _identities(means: JudgeMeans, identities: Mapping[str, str] | None) -> dict[int, int]:
    """System that each judge is, as positions: as told, or the one that has its label."""
    if identities is None:
        systems = {label.strip().casefold(): position for position, label in enumerate(means.systems)}
        judges = [label.strip().casefold() for label in means.judges]
        return {position: systems[label] for position, label in enumerate(judges) if label in systems}
    out = {}
    for judge, system in identities.items():
        for label, labels, kind in ((judge, means.judges, "judge"), (system, means.systems, "system")):
            if label not in labels:
                raise UnknownTerm(label, labels, kind)
        out[means.judges.index(judge)] = means.systems.index(system)
    return out


@dataclass(frozen=True)
class _Comparison:
    """Weights of ``own`` and ``elsewhere``, and the judges whose own preference is in the difference."""

    own: Floats
    elsewhere: Floats
    shared_with: tuple[str, ...]

    @property
    def effect(self) -> Floats:
        return (self.own - self.elsewhere) / (2 if self.shared_with else 1)


def _comparison(means: JudgeMeans, pairs: Mapping[int, int], judge: int) -> _Comparison:
    """Other judges and systems to compare with, free of every other judge's score of itself where there are any."""
    system = pairs[judge]
    others = [k for k in range(len(means.judges)) if k != judge and pairs.get(k) != system]
    cells = [(k, t) for k in others for t in range(len(means.systems)) if t != system]
    free = [(k, t) for k, t in cells if pairs.get(k) != t]
    if not cells:
        raise NotEstimable(
            f"every judge is {means.systems[system]}: none is left to compare with; add a judge that is not"
        )
    own, elsewhere = np.zeros((2, *means.mean.shape))
    for k, t in free or cells:
        own[[judge, k], system] += np.array([1, -1]) / len(free or cells)
        elsewhere[[judge, k], t] += np.array([1, -1]) / len(free or cells)
    return _Comparison(own, elsewhere, () if free else tuple(means.judges[k] for k in others))


LENIENT, STRICT = "lenient", "strict"
_NUMBERS = ("mean", "bias", "se", "df", "low", "high", "p", "p_holm")


@dataclass(frozen=True)
class Bias:
    """One judge against the average of the panel.

    Parameters
    ----------
    judge : str
        Label.
    system : str, optional
        Label; None for the average over the systems.
    mean : float
        Mean score by this judge.
    bias : float
        That less the average over all judges, in score units; positive is lenient, where less is better strict.
    se, df : float
        Standard error and degrees of freedom; nan where every item gives the same difference.
    low, high : float
        Interval for this judge alone.
    p : float
        Two-sided p-value that there is no bias.
    p_holm : float
        The same adjusted for the rows that it stands among: all judges, or all combinations of judge and system.
    verdict : str
        ``lenient`` or ``strict`` where the adjusted p-value is below 1 - level; else empty.
    n : int
        Answers of this judge.
    """

    judge: str
    system: str | None
    mean: float
    bias: float
    se: float
    df: float
    low: float
    high: float
    p: float
    p_holm: float
    verdict: str
    n: int


@dataclass(frozen=True)
class JudgeBias(MeansResult):
    """Every judge against the average of the panel. Made by `judge_bias`.

    Parameters
    ----------
    means : JudgeMeans
        What the biases are contrasts of.
    overall : tuple of Bias
        One for every judge, averaged equally over the systems; the biases sum to zero.
    by_system : tuple of Bias
        One for every judge and system; empty where there is one system. Those of a system sum to zero.
    joint : JointTest, optional
        Whether all judges are alike, averaged over the systems; None where there are too few items to say.
    interaction : JointTest, optional
        Whether every judge has the same bias for all systems; None with one system or too few items.
    level : float
        Coverage of each interval.
    """

    means: JudgeMeans
    overall: tuple[Bias, ...]
    by_system: tuple[Bias, ...]
    joint: JointTest | None
    interaction: JointTest | None
    level: float

    entries = (
        "overall by_system joint interaction level method=means.method reason=means.reason "
        "caveats=means.caveats sentence scope"
    )

    @property
    def lenient(self) -> tuple[str, ...]:
        """Judges who surely score better than the average of the panel, all looked at together."""
        return tuple(row.judge for row in self.overall if row.verdict == LENIENT)

    @property
    def strict(self) -> tuple[str, ...]:
        """Judges who surely score worse than the average of the panel, all looked at together."""
        return tuple(row.judge for row in self.overall if row.verdict == STRICT)

    @property
    def scope(self) -> str:
        """What the biases are measured against."""
        panel = f"these {counted(len(self.means.judges), self.means.judge)}"
        return (
            f"Bias is against the average of {panel}: it says who differs, not who is right, and holds for them only."
        )

    @property
    def sentence(self) -> str:
        """Who is lenient and who is strict."""
        parts = []
        for verdict in (LENIENT, STRICT):
            judges = [f"{row.judge} ({row.bias:+.3g})" for row in self.overall if row.verdict == verdict]
            parts += [f"{listed(judges)} {'is' if len(judges) == 1 else 'are'} {verdict}"] if judges else []
        finding = " and ".join(parts) or f"No {self.means.judge} is lenient or strict"
        return f"{finding} (Holm-adjusted over {counted(len(self.overall), self.means.judge)}, level {self.level:g})."

    def rows(self) -> list[Row]:
        """One row a bias, overall first, where ``system`` is empty."""
        return [asdict(row) | {"system": row.system or ""} for row in (*self.overall, *self.by_system)]


def judge_bias(source: Judgments | JudgeMeans, *, level: float = 0.95, **options: Any) -> JudgeBias:
    """Which judge scores higher or lower than the rest of the panel, overall and for each system.

    Judges are compared as they are, whether declared fixed or random. All answers of a judge must be on one scale.

    Parameters
    ----------
    source : Judgments or JudgeMeans
        From `quorate.read`, or the means of these judgments.
    level : float
        Coverage of each interval, in (0, 1); the verdicts keep the chance of any false one below 1 - level.
    **options
        As for `judge_means`: ``judge``, ``system``, ``generation``, ``method``.

    Returns
    -------
    JudgeBias

    Raises
    ------
    InvalidInput
        If an option breaks a rule.
    NotEstimable
        If there is one judge or one item, or a judge has not scored a system.

    References
    ----------
    Zhu et al. (2026), CyclicJudge, section 4.2 and Figure 1: ``gamma_l = X_..l - X_...`` for every judge and model.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 4]})
    >>> [(row.judge, round(row.bias, 2), round(row.p, 2)) for row in judge_bias(q.read(frame)).overall]
    [('x', -0.67, 0.06), ('y', 0.67, 0.06)]
    """
    means = means_of(source, level, options)
    judges, systems = means.mean.shape
    centred = np.eye(judges) - 1 / judges
    overall = centred[:, :, None] * np.full(systems, 1 / systems)
    first = _rows(means, overall, [(judge, None) for judge in means.judges], level)
    joint = means.joint(overall[1:])
    if systems == 1:
        return JudgeBias(means, first, (), joint, None, level)
    single = _products(centred, np.eye(systems))
    labels = [(judge, system) for judge in means.judges for system in means.systems]
    interaction = means.joint(_products(_differences(judges), _differences(systems)))
    return JudgeBias(means, first, _rows(means, single, labels, level), joint, interaction, level)


def _products(judges: Floats, systems: Floats) -> Floats:
    """Every contrast of judges with every contrast of systems, shape (contrasts, judges, systems)."""
    return np.multiply.outer(judges, systems).swapaxes(1, 2).reshape(-1, judges.shape[1], systems.shape[1])


def _differences(size: int) -> Floats:
    return np.hstack([-np.ones((size - 1, 1)), np.eye(size - 1)])


def _rows(
    means: JudgeMeans, weights: Floats, labels: Iterable[tuple[str, str | None]], level: float
) -> tuple[Bias, ...]:
    biases = means.contrast(weights)
    low, high = biases.interval(level)
    p = biases.p
    adjusted = holm(p)
    sure = np.where(adjusted < 1 - level, np.where(means.sign * biases.value > 0, LENIENT, STRICT), "")
    out = []
    for i, (judge, system) in enumerate(labels):
        at = means.judges.index(judge), slice(None) if system is None else means.systems.index(system)
        numbers = (means.mean[at].mean(), *(column[i] for column in (*biases, low, high, p, adjusted)))
        value = dict(zip(_NUMBERS, map(float, numbers), strict=True))
        out.append(Bias(judge, system, **value, verdict=str(sure[i]), n=int(means.n[at].sum())))
    return tuple(out)
