"""Design-based supervised learning: a regression on labels, from predictions of all rows and labels of a few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats
from quorate.caveats import (
    Caveat,
    few_labels_in_regression,
    labels_alike_likely,
    labels_with_known_chance,
    other_number_of_labels,
    rare_labels_in_regression,
)
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.regression.surrogate import sign_flip
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level, student_limits
from quorate.numerics.regression import Coefficients, dependent, doubly_robust, errors, linear, logistic
from quorate.table.exchange.variables import Words, missing, values_of, variables
from quorate.table.results import Ends, Result, Row, StatedInterval
from quorate.wording import Brief, at_level, counted, listed

# Regression: coefficients that labels correct, beside those of predictions and of labels alone.


Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Coefficient(Brief):
    """One coefficient by three ways.

    Parameters
    ----------
    name : str
        Of the regressor, with the level where it is one of words.
    level : float
        Coverage of the intervals.
    n, labels : int
        Rows, and how many of them have a label.
    value, se, df : float
        From predictions that labels correct.
    judged, judged_se, judged_df : float
        From predictions taken as if they were right.
    labelled, labelled_se, labelled_df : float
        From labels alone; nan where they give no solution.
    """

    name: str
    level: float
    n: int
    labels: int
    value: float
    se: float
    df: float
    judged: float
    judged_se: float
    judged_df: float
    labelled: float
    labelled_se: float
    labelled_df: float

    @property
    def estimate(self) -> StatedInterval:
        """Student's interval."""
        return _student((self.value, self.se, self.df), self.n, self.level)

    @property
    def from_judges(self) -> StatedInterval:
        """The same from predictions taken as if they were right."""
        return _student((self.judged, self.judged_se, self.judged_df), self.n, self.level)

    @property
    def from_labels(self) -> StatedInterval:
        """The same from labels alone."""
        return _student((self.labelled, self.labelled_se, self.labelled_df), self.labels, self.level)

    @property
    def other_sign(self) -> float:
        """Chance that the true coefficient has another sign than predictions taken as right give; nan without these."""
        if np.isnan(self.judged):
            return float("nan")
        chance = sign_flip(self.value, self.se, df=self.df).differs
        return chance if self.value * self.judged > 0 else 1 - chance


@dataclass(frozen=True)
class Regression(Result):
    """Coefficients of a regression on labels, from predictions of all rows and labels of some.

    Parameters
    ----------
    coefficients : tuple of Coefficient
        The intercept first.
    n, labels : int
        Rows, and how many of them have a label.
    link : str or None
        ``logit``, or None of a linear regression.
    level : float
        Coverage of intervals unless another is asked for.
    probability : (float, float)
        Smallest and largest chance to be labelled.
    cluster, clusters : tuple of str, and of int
        What rows may resemble each other by, and how many levels each has; none where rows are independent.
    caveats : tuple of Caveat
        What the reader must know.
    """

    coefficients: tuple[Coefficient, ...]
    n: int
    labels: int
    link: str | None
    level: float
    probability: tuple[float, float]
    cluster: tuple[str, ...]
    clusters: tuple[int, ...]
    caveats: tuple[Caveat, ...]

    entries = "n labels link level probability cluster clusters caveats coefficients=rows effective sentence"

    def __getitem__(self, name: str) -> Coefficient:
        """The coefficient of this name."""
        return {one.name: one for one in self.coefficients}[name]

    @property
    def effective(self) -> float:
        """Labels that would be as precise on their own, as the median over the coefficients; nan where not known."""
        ratios = [(one.labelled_se / one.se) ** 2 for one in self.coefficients if one.labelled_se > 0]
        return self.labels * float(np.median(ratios)) if ratios else float("nan")

    @property
    def sentence(self) -> str:
        """The first regressor in one sentence."""
        one = self.coefficients[min(1, len(self.coefficients) - 1)]
        (low, high), (least, most) = one.estimate.ends, one.from_judges.ends
        apart = f", clustered by {listed(self.cluster)}" if self.cluster else ""
        naive = f"give {one.judged:.3f} ({least:.3f} to {most:.3f})"
        return (
            f"{one.name}: {one.value:.3f} ({at_level(self.level)} interval {low:.3f} to {high:.3f}) from "
            f"{counted(self.labels, 'label')} and {counted(self.n, 'prediction')}{apart}; predictions taken as right "
            f"{'give no solution' if np.isnan(one.judged) else naive}."
        )

    def rows(self) -> list[Row]:
        """One row a coefficient: corrected, from predictions taken as right, and from labels alone."""
        out: list[Row] = []
        for one in self.coefficients:
            row: Row = {"coefficient": one.name, "value": one.value, "low": one.estimate.low, "high": one.estimate.high}
            row |= {"se": one.se, "df": one.df, "other_sign": one.other_sign}
            out.append(row | one.from_judges.row("judged") | one.from_labels.row("labelled"))
        return out


def _student(of: Triple, n: int, level: float) -> StatedInterval:
    value, se, df = of

    def law(level: float) -> Ends:
        return (np.nan, np.nan) if np.isnan(df) else student_limits(value, se, df, level)

    return StatedInterval(value, se, n, level, law)


INTERCEPT = "intercept"
_FEWEST, _FEW, _RARE, _MOST_LEVELS, _FAR = 2, 10.0, 10, 50, 4.0


def regress(
    y: ArrayLike,
    x: Any,
    labels: ArrayLike,
    sampling_probability: float | ArrayLike | None = None,
    *,
    cluster: Any = None,
    link: Literal["logit"] | None = None,
    level: float = 0.95,
) -> Regression:
    """Coefficients of a regression on labels that judges gave, right also where the judges are not.

    A judge labelled all rows, people some of them, at random. To regress the judge's labels
    carries its errors into every coefficient that they go with. Here each row has the outcome
    ``g + (label - g) / probability``, with a prediction ``g`` from the judge's label and the regressors that is fitted
    to the labels of other rows: on average that is the label, however bad the judge is.

    Parameters
    ----------
    y : array, shape (n,)
        The judge's labels, of every row: 0 or 1, or numbers.
    x : mapping of str to array, data frame, or array of shape (n, k)
        Regressors; an intercept is added, and words are compared with the first of them in their order.
    labels : array, shape (n,)
        Labels by people, nan where there is none.
    sampling_probability : float or array, shape (n,), optional
        Chance of each row to have a label, in (0, 1]. By default it is alike for all, the share that have one.
    cluster : array, or mapping of str to array, optional
        Labels of what makes rows alike, such as their author, or several of them, nested or crossed.
    link : {"logit"}, optional
        For a logistic regression, whose labels are 0 or 1.
    level : float
        Coverage of the intervals. Unless another is asked for.

    Returns
    -------
    Regression

    Raises
    ------
    InvalidInput
        If an argument breaks a rule, or a regressor is a combination of others.
    NotEstimable
        If labels are too few, there is one cluster, or the logistic regression has no solution.

    Notes
    -----
    Standard errors are HC1, or clustered (CR1) by each facet, less those by the cells of two, and so on. Student's t
    has the degrees of freedom that the few large terms of labelled rows leave. R: ``dsl::dsl``, which fits ``g`` by
    a forest and has normal intervals.

    References
    ----------
    Egami, Hinck, Stewart and Wei (2023), NeurIPS 36. Total Evaluation Error, arXiv:2604.11581, appendix M.
    ``docs/methods/regression.md``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> long = rng.normal(size=2000)
    >>> right = 0.2 * long + rng.normal(size=2000)
    >>> said = right + 0.5 * long  # the judge likes long answers
    >>> labels = np.where(rng.random(2000) < 0.1, right, np.nan)
    >>> found = regress(said, {"length": long}, labels, 0.1)
    >>> round(found["length"].value, 2), round(found["length"].judged, 2)
    (0.17, 0.67)
    """
    checked_level(level)
    if link not in (None, "logit"):
        raise InvalidInput(f'link: "logit" or None is needed, got {link!r}')
    predicted = _column(y, "y", 0)
    n = len(predicted)
    if holes := missing(predicted):
        raise InvalidInput(
            f"y: {holes:,} of {n:,} rows have no value; give a prediction for every row, or leave the row out"
        )
    names, design = _design(x, n)
    known = _column(labels, "labels", n)
    groups = _clusters(cluster, n)
    _check_labels(known, design, groups, link)
    alike = sampling_probability is None
    chance = _chances(np.mean(~np.isnan(known)) if alike else sampling_probability, n)
    coarsest = min(groups.values(), key=lambda code: int(code.max())) if groups else np.arange(n)
    outcome = doubly_robust(np.column_stack([predicted, design[:, 1:]]), known, chance, coarsest)
    codes = list(groups.values())
    corrected = _row(_solve(outcome, design, None, link), codes)
    if corrected is None:
        raise NotEstimable(
            "labels: they give no solution of the logistic regression, as some values of the regressors have (nearly) "
            "one outcome; label more rows there, or leave regressors out"
        )
    some = ~np.isnan(known)
    judged = _row(_solve(predicted, design, None, link), codes)
    alone = None
    if not dependent(design[some]):
        alone = _row(_solve(known[some], design[some], 1 / chance[some], link), [code[some] for code in codes])
    nothing = np.full((3, len(names)), np.nan)
    parts = [nothing if part is None else part for part in (corrected, judged, alone)]
    found = tuple(
        Coefficient(name, level, n, int(some.sum()), *(float(part[i, at]) for part in parts for i in range(3)))
        for at, name in enumerate(names)
    )
    levels = tuple(int(code.max()) + 1 for code in codes)
    said = tuple(_caveats(known, chance, found, link, alike=alike))
    bounds = (float(chance.min()), float(chance.max()))
    return Regression(found, n, int(some.sum()), link, level, bounds, tuple(groups), levels, said)


def _solve(y: Floats, x: Floats, weight: Floats | None, link: str | None) -> Coefficients | None:
    return linear(y, x, weight) if link is None else logistic(y, x, weight)


def _row(found: Coefficients | None, codes: list[NDArray[np.int64]]) -> Floats | None:
    """Values, standard errors and degrees of freedom, shape (3, p)."""
    if found is None or len(found.influence) <= len(found.value):
        return None
    kept = [code for code in codes if len(np.unique(code)) > 1]
    if len(kept) < len(codes):
        return None
    error = errors(found.influence, kept)
    return np.array([found.value, error.se, error.df])


def _column(values: Any, name: str, n: int) -> Floats:
    """Numbers, one for each row, nan where there is none."""
    column = values_of(values, name)
    if column.dtype == object:
        word = next(value for value in column.tolist() if value is not None and not _is_number(value))
        raise InvalidInput(f'{name}: numbers are needed, got "{word}"; give each label a number, such as 0 and 1')
    if n and len(column) != n:
        raise InvalidInput(f"{name}: one value for each of the {n:,} rows is needed, got {len(column):,}")
    if np.isinf(column.astype(float)).any():
        raise InvalidInput(f"{name}: finite numbers are needed, got infinity")
    return column.astype(np.float64)


def _is_number(text: object) -> bool:
    try:
        float(str(text))
    except ValueError:
        return False
    return True


def _design(x: Any, n: int) -> tuple[tuple[str, ...], Floats]:
    """Names and columns of the regressors, the intercept first."""
    if isinstance(x, (list, tuple, np.ndarray)):
        given = np.asarray(x)
        given = given[:, None] if given.ndim == 1 else given
        if given.ndim != 2:
            raise InvalidInput(
                f"x: a row for every prediction and a column for every regressor are needed, got {given.shape}"
            )
        x = {f"x{place + 1}": given[:, place] for place in range(given.shape[1])}
    names, columns = [INTERCEPT], [np.ones(n)]
    for name, column in variables(x, argument="x").items():
        if len(column) != n:
            raise InvalidInput(f"x: {name} has {len(column):,} values for {n:,} predictions; give one for each row")
        if holes := missing(column):
            raise InvalidInput(f"x: {name} has no value in {holes:,} of {n:,} rows; fill them in, or leave rows out")
        for label, values in _indicators(name, column).items():
            names.append(label)
            columns.append(values)
    design = np.column_stack(columns)
    if not np.isfinite(design).all():
        raise InvalidInput("x: finite numbers are needed, got infinity")
    if same := dependent(design):
        listed_names = listed(f'"{names[place]}"' for place in same)
        raise InvalidInput(f"x: {listed_names} follows from the other regressors and the intercept; leave it out")
    return tuple(names), design


def _indicators(name: str, column: Floats | Words) -> Mapping[str, Floats]:
    """A column of numbers, or one for every word but the first."""
    if column.dtype != object:
        return {name: column.astype(np.float64)}
    levels = sorted(set(column.tolist()))
    if len(levels) > _MOST_LEVELS:
        raise InvalidInput(
            f"x: {name} has {len(levels):,} different words, at most {_MOST_LEVELS} are compared; group them, "
            "or name it as a cluster"
        )
    return {f"{name}={word}": (column == word).astype(np.float64) for word in levels[1:]}


def _chances(given: Any, n: int) -> Floats:
    """The chance of every row to be labelled."""
    chance = np.full(n, float(given)) if np.ndim(given) == 0 else _column(given, "sampling_probability", n)
    wrong = ~((chance > 0) & (chance <= 1))
    if wrong.any():
        raise InvalidInput(
            f"sampling_probability: numbers above 0 and up to 1 are needed, got {chance[wrong][0]:g}; give each row's "
            "chance to be labelled, known before anybody labelled"
        )
    return chance


def _clusters(cluster: Any, n: int) -> dict[str, NDArray[np.int64]]:
    """Codes by facet; those whose every row is on its own say nothing."""
    if cluster is None:
        return {}
    by_name = cluster if isinstance(cluster, Mapping) else {"cluster": cluster}
    out = {}
    for name, values in by_name.items():
        column = values_of(values, f"cluster: {name}")
        labels = [str(value) for value in column.tolist()]
        if holes := missing(column):
            raise InvalidInput(f"cluster: {name} has no value in {holes:,} of {len(column):,} rows; fill them in")
        if len(labels) != n:
            raise InvalidInput(
                f"cluster: {name} has {len(labels):,} values for {n:,} predictions; give one for each row"
            )
        code = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        if code.max() == 0:
            raise NotEstimable(f"cluster: all rows are of one {name}, and an error by it needs two; leave it out")
        out[str(name)] = code
    return out


def _check_labels(known: Floats, design: Floats, groups: Mapping[str, NDArray[np.int64]], link: str | None) -> None:
    some = ~np.isnan(known)
    count, needed = int(some.sum()), design.shape[1] + _FEWEST
    if count < needed:
        raise NotEstimable(
            f"labels: {count:,} of {len(known):,} rows have one, and at least {needed} are needed for "
            f"{counted(design.shape[1], 'coefficient')}; label more rows, or leave regressors out"
        )
    if link == "logit" and not np.isin(known[some], (0.0, 1.0)).all():
        other = known[some][~np.isin(known[some], (0.0, 1.0))][0]
        raise InvalidInput(f"labels: 0 or 1 is needed with a logit link, got {other:g}; leave the link out")
    if link == "logit" and len(np.unique(known[some])) < 2:
        raise NotEstimable(f"labels: all are {known[some][0]:g}, and both answers are needed; label more rows")
    for name, code in groups.items():
        if len(np.unique(code[some])) < _FEWEST:
            raise NotEstimable(
                f"cluster: one level of {name} has all labels, and its error needs two; label others too"
            )


def _caveats(
    known: Floats, chance: Floats, found: tuple[Coefficient, ...], link: str | None, *, alike: bool
) -> list[Caveat]:
    labels = known[~np.isnan(known)]
    out = [labels_alike_likely(len(labels), len(known)) if alike else labels_with_known_chance()]
    spread = float(np.sqrt((chance * (1 - chance)).sum()))
    if abs(len(labels) - chance.sum()) > max(_FAR * spread, 1.0):
        out.append(other_number_of_labels(len(labels), float(chance.sum())))
    least = min(found, key=lambda one: one.df)
    if least.df < _FEW:
        out.append(few_labels_in_regression(least.name, least.df))
    if link == "logit" and (rarer := int(min(labels.sum(), (1 - labels).sum()))) < _RARE * len(found):
        out.append(rare_labels_in_regression(rarer, len(found)))
    return out
