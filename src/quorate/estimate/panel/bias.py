"""Judge bias: each judge against the average of the panel, overall and for each system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.differences.spread import JointTest
from quorate.estimate.panel.judge_means import JudgeMeans, MeansResult, means_of
from quorate.numerics.inference import holm
from quorate.table.judgments import Judgments
from quorate.table.results import Row
from quorate.wording import counted, listed

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
        That less the average over all judges, in score units; positive is lenient.
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

    @property
    def lenient(self) -> tuple[str, ...]:
        """Judges above the average of the panel, all looked at together."""
        return tuple(row.judge for row in self.overall if row.verdict == LENIENT)

    @property
    def strict(self) -> tuple[str, ...]:
        """Judges below the average of the panel, all looked at together."""
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

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        tests = {"joint": self.joint, "interaction": self.interaction}
        return {
            "overall": [asdict(row) for row in self.overall],
            "by_system": [asdict(row) for row in self.by_system],
            **{name: None if test is None else asdict(test) for name, test in tests.items()},
            "level": self.level,
            "method": self.means.method,
            "reason": self.means.reason,
            "caveats": [caveat.sentence for caveat in self.means.caveats],
            "sentence": self.sentence,
            "scope": self.scope,
        }


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
    adjusted = holm(biases.p)
    sure = np.where(adjusted < 1 - level, np.where(biases.value > 0, LENIENT, STRICT), "")
    out = []
    for i, (judge, system) in enumerate(labels):
        at = means.judges.index(judge), slice(None) if system is None else means.systems.index(system)
        numbers = (means.mean[at].mean(), *(column[i] for column in (*biases, low, high, biases.p, adjusted)))
        value = dict(zip(_NUMBERS, map(float, numbers), strict=True))
        out.append(Bias(judge, system, **value, verdict=str(sure[i]), n=int(means.n[at].sum())))
    return tuple(out)
