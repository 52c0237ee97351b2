"""Leaderboards by redrawn pipelines: how far they would move with other judges, prompts and orders."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.battles import ORDER, PAIRWISE
from quorate.estimate.agreement.labelled import people_apart
from quorate.estimate.agreement.leaderboards import compare_leaderboards
from quorate.numerics.inference import checked_ridge
from quorate.numerics.ratings.ties import By, Ties, check_ties
from quorate.simulate.pipelines.cells import CellMargins, score_margins, votes_margins
from quorate.simulate.pipelines.result import (
    Kind,
    PipelineErrors,
    Pipelines,
    Rated,
    Scale,
    cell_by_cell,
    drawn_weights,
    panels,
)
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes
from quorate.waiting import each

Judged = Votes | Judgments | CellMargins
_FEWEST, _PER_CELL, _AT_A_TIME = 100, 4, 2**22
_FINITE = argument("by", "win rate") + " or " + argument("regularisation", 1)
"""What gives every system a finite rating."""


def pipelines(
    judged: Judged | Mapping[str, Judged],
    human: Votes | str | Collection[str] | None = None,
    *,
    by: By = "bradley-terry",
    ties: Ties = "half",
    cells: Collection[str] | None = None,
    cell: Mapping[str, str] | None = None,
    key: str = "prompt",
    system: str = "system",
    cluster: str | None = None,
    threshold: float | None = None,
    regularisation: float = 0.0,
    resamples: int = 1000,
    seed: int = 1,
) -> Pipelines:
    """How far a leaderboard by judges would move with other judges, prompts and orders, beside its own error bars.

    The naive standard error draws battles and keeps their verdicts. The aware one also allows for the judges, prompts
    and orders that the verdicts come from, which all battles share: by another single cell for all of them, or by
    another panel whose mean is taken.

    Parameters
    ----------
    judged : Votes, Judgments or CellMargins, or a mapping of names to them
        Battles that several cells judged: votes, or scores of the responses (every two systems of an item are then a
        battle, and items are drawn).
    human : Votes, str or collection of str, optional
        What people said, or the levels of ``judge`` that are people: leaderboards are then compared with theirs.
    by : {"bradley-terry", "win rate"}
        What systems are ranked by.
    ties : {"davidson", "rao-kupper", "glenn-david", "half", "drop"}
        How ties count. As for `quorate.rank`; "half" or "drop" for win rates.
    cells : collection of str, optional
        What tells cells apart, roles such as judge and variant; by default all that there are. See
        `quorate.simulate.pipelines.cells.votes_margins` and ``score_margins``.
    cell : mapping of str to str, optional
        Roles with their levels in the single cell that is used, such as ``{"judge": "gpt"}``; by default a cell taken
        at random. Such as ``{"judge": "gpt", "variant": "1", "order": "as listed"}``: the naive standard error is of
        it.
    key : str
        Role of what the two systems answered, of votes.
    system : str
        Scores: role of the systems.
    cluster : str, optional
        Votes: role whose battles are drawn together, such as prompt.
    threshold : float, optional
        As for `quorate.agreement.agreement`; people's verdicts and ``CellMargins`` keep theirs.
    regularisation : float
        Ridge that keeps ratings finite. As for `quorate.rank`.
    resamples : int
        Draws: at least 100, and 4 for every cell.
    seed : int
        Seed of the draws.

    Returns
    -------
    Pipelines

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If there is no such role, judge or cell.
    NotEstimable
        If there is one cell, or most resamples have no leaderboard.

    References
    ----------
    Messing (2026), appendix R.1 and Figure 23, for ``redrawn``. ``docs/methods/pipelines.md``.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> rng = np.random.default_rng(1)
    >>> chance = {"strict": 0.5, "fond of x": 0.8}
    >>> rows = [(i, j, "x", "y", "xy"[int(rng.random() > p)]) for i in range(200) for j, p in chance.items()]
    >>> frame = polars.DataFrame(rows, schema=["prompt", "judge", "model_a", "model_b", "winner"], orient="row")
    >>> compared = q.scores.pipelines(q.read_votes(frame, announce=False), by="win rate")
    >>> single = compared.of("single").systems[0]
    >>> single.system, round(single.value, 2), round(single.naive, 2), round(single.aware, 2)
    ('x', 0.67, 0.03, 0.18)
    """
    check_ties(by, ties)
    checked_ridge(regularisation)
    rules.whole("resamples", resamples, _FEWEST)
    named, people = _apart(judged, human)
    tables, roles = dict[str, CellMargins](), None if cells is None else tuple(cells)
    for name, one in named.items():
        if isinstance(one, CellMargins):
            tables[name] = one
        elif isinstance(one, Votes):
            least = PAIRWISE if threshold is None else threshold
            tables[name] = votes_margins(one, key=key, cells=roles, cluster=cluster, threshold=least)
        elif isinstance(one, Judgments):
            tables[name] = score_margins(one, system=system, cells=roles, threshold=threshold)
        else:
            kind = type(one).__name__
            raise InvalidInput(f"judged: {name} must be what quorate.read_votes or read returns, got {kind}")
    at = {name: _checked_cell(name, table, cell, tables, resamples) for name, table in tables.items()}
    scales = {name: Scale(table, by, ties, regularisation) for name, table in tables.items()}
    reference = None
    if people is not None:  # one verdict per battle
        table = votes_margins(people, key=key, cells=())
        by_people = _only(Scale(table, by, ties, regularisation), table.margin, "human")
        reference = dict(zip(table.systems, by_people.tolist(), strict=True))
    errors = [board for name, scale in scales.items() for board in _errors(name, scale, at[name], resamples, seed)]
    boards = {
        f"{board.pipeline}, {board.kind}": {rated.system: rated.value for rated in board.systems}
        for board in errors
        if board.kind == "average" or cell is not None
    }
    compared = None if reference is None else compare_leaderboards(reference, boards)
    sizes = {name: table.n_cells for name, table in tables.items()}
    facets = {name: _facets(table) for name, table in tables.items()}
    return Pipelines(tuple(errors), sizes, facets, by, resamples, compared)


def _apart(
    judged: Judged | Mapping[str, Judged], human: Votes | str | Collection[str] | None
) -> tuple[dict[str, Judged], Votes | None]:
    """Tables by name, and the votes of people, who may be judges of the only table."""
    named: dict[str, Judged] = dict(judged) if isinstance(judged, Mapping) else {"judges": judged}
    if not named:
        raise InvalidInput("judged: at least one table is needed, got none")
    if human is None or isinstance(human, Votes):
        return named, human
    if not isinstance(judged, Votes):
        raise InvalidInput("human: votes of people are needed, unless they are levels of judge in one table of votes")
    left, right = people_apart(judged, human)
    return {"judges": cast("Votes", left)}, cast("Votes", right)


def _checked_cell(
    name: str, table: CellMargins, cell: Mapping[str, str] | None, tables: Mapping[str, CellMargins], resamples: int
) -> int | None:
    """Place of the single cell; facets that only other tables have are left out."""
    if table.n_cells < 2:
        raise NotEstimable(f"{name}: all judgments are of one cell; several judges, prompts or orders are needed")
    fewest = _PER_CELL * table.n_cells
    if resamples < fewest:
        raise InvalidInput(f"resamples: {name} has {table.n_cells} cells and needs at least {fewest}, got {resamples}")
    if cell is None:
        return None
    known = sorted({facet for other in tables.values() for facet in other.levels})
    for facet in cell:
        if facet not in known:
            raise UnknownTerm(facet, known, "facet")
    return table.cell({facet: label for facet, label in cell.items() if facet in table.levels})


def _only(scale: Scale, margin: Floats, name: str) -> Floats:
    """The leaderboard of one column of margins."""
    board = scale.boards(scale.table.verdicts(margin.reshape(-1, 1)), np.ones((len(margin), 1), dtype=np.float32))[:, 0]
    if not np.isfinite(board).all():
        raise NotEstimable(f"{name}: some systems have no finite rating by these battles; use " + _FINITE)
    return board


def _errors(name: str, scale: Scale, at: int | None, resamples: int, seed: int) -> list[PipelineErrors]:
    """The single cell, and the mean of cells."""
    table = scale.table
    points = scale.boards(table.verdicts(table.margin), np.ones((len(table), 1), dtype=np.float32))
    known = np.isfinite(points).all(axis=0)
    if known.sum() < 2:
        raise NotEstimable(
            f"{name}: {int(known.sum())} cells give all systems a finite rating, two are needed; use " + _FINITE
        )
    points = np.where(known, points, np.nan)
    average = _only(scale, table.mean, name)
    drawn = _drawn(scale, at, points, resamples, seed)
    if at is None:  # standard deviation about the mean of the resamples of the same cell
        boards = _known(name, drawn["single"])
        cells, of = np.unique(drawn["group"][:, np.isfinite(drawn["single"]).all(axis=0)][0], return_inverse=True)
        same = (of[:, None] == np.arange(len(cells))).astype(float)
        means = boards @ same / same.sum(axis=0)
        naive = np.asarray(np.sqrt(((boards - means[:, of]) ** 2).sum(axis=1) / (len(of) - len(cells))))
    else:
        naive = _spread(name, drawn["cell"])
    fixed = _spread(name, drawn["fixed"])
    # Levels drawn from L at hand vary less than levels drawn anew, by the factor (L - 1) / L: that of the drawn facet
    # with fewest; none where only the order differs.
    levels = float(min((size for facet, size in _facets(table).items() if facet != ORDER), default=np.inf))
    few = 1 / (1 - 1 / levels)
    differing = _systematic(np.nanvar(points, axis=1), 0.5 * _square(name, drawn["twins"]))
    panels_differ = _systematic(_spread(name, drawn["panel"]) ** 2, _square(name, drawn["panel noise"]))
    single = np.nanmean(points, axis=1) if at is None else _only(scale, table.margin[:, at], name)
    columns = (single, naive, _spread(name, drawn["single"]), np.sqrt(naive**2 + few * differing))
    aware = np.sqrt(fixed**2 + few * panels_differ)
    of_mean = (average, fixed, _spread(name, drawn["average"]), aware)
    of_single = (*columns, _df(columns[-1], few * differing, levels))
    return [
        _rated(name, "single", scale, of_single, _lost(drawn["single"])),
        _rated(name, "average", scale, (*of_mean, _df(aware, few * panels_differ, levels)), _lost(drawn["average"])),
    ]


def _df(aware: Floats, between: Floats, levels: float) -> Floats:
    """Satterthwaite's degrees of freedom of a variance of which the part between levels has levels less one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0, (levels - 1) * (aware**2 / between) ** 2, np.inf)


def _drawn(scale: Scale, at: int | None, points: Floats, resamples: int, seed: int) -> dict[str, Floats]:
    """Leaderboards of redrawn battles by what is drawn with them, shape (systems, resamples).

    Noise is what redrawing battles does to a difference between cells, or panels.
    """
    table, parts = scale.table, []
    rng = {name: stream(seed, f"pipelines/{name}") for name in ("cells", "battles", "average", "panel")}
    every, mean = table.verdicts(table.margin), table.verdicts(table.mean)[:, None]
    once = np.ones((len(table), 1), dtype=np.float32)
    cells = np.array([rng["cells"].permutation(np.arange(resamples) % table.n_cells) for _ in range(2)])
    block = max(1, _AT_A_TIME // max(len(table), 1))
    for start in each("redrawn tables", range(0, resamples, block)):
        both = cells[:, start : start + block]
        n = both.shape[1]
        weight = drawn_weights(table, n, rng["battles"])
        single, twin = (scale.boards(every[:, side], weight) for side in both)
        fixed = scale.boards(np.broadcast_to(mean, weight.shape), weight)
        others = panels(table, n, (ORDER,), rng["panel"])
        panel = scale.boards(others, once)
        part = {
            "single": single,
            "twins": single - twin - points[:, both[0]] + points[:, both[1]],
            "fixed": fixed,
            "average": scale.boards(cell_by_cell(table, n, rng["average"]), weight),
            "panel": panel,
            "panel noise": scale.boards(others, weight) - fixed - panel + scale.boards(mean, once),
        }
        if at is not None:
            part["cell"] = scale.boards(np.broadcast_to(every[:, [at]], weight.shape), weight)
        parts.append(part)
    boards = {name: np.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}
    return boards | {"group": cells[0][None].astype(float)}


def _known(name: str, boards: Floats) -> Floats:
    """Resamples that have a leaderboard."""
    lost = _lost(boards)
    if lost > boards.shape[1] / 2:
        raise NotEstimable(
            f"{name}: {lost:,} of {boards.shape[1]:,} resamples have no leaderboard; use "
            + _FINITE
            + ", or leave out cells and systems with few battles"
        )
    return boards[:, np.isfinite(boards).all(axis=0)]


def _lost(boards: Floats) -> int:
    return int((~np.isfinite(boards).all(axis=0)).sum())


def _spread(name: str, boards: Floats) -> Floats:
    return np.asarray(_known(name, boards).std(axis=1, ddof=1))


def _square(name: str, noise: Floats) -> Floats:
    return np.asarray(np.mean(_known(name, noise) ** 2, axis=1))


def _systematic(between: Floats, noise: Floats) -> Floats:
    """Variance between cells, or panels, that would be left with endless battles."""
    return np.maximum(between - noise, 0.0)


def _facets(table: CellMargins) -> dict[str, int]:
    """Facets that cells differ in, with their levels."""
    levels = {name: len(set(labels)) for name, labels in table.levels.items()}
    return {name: size for name, size in levels.items() if size > 1}


def _rated(name: str, kind: Kind, scale: Scale, columns: tuple[Floats, ...], without: int) -> PipelineErrors:
    order = np.argsort(-columns[0], kind="stable")
    rows = zip([scale.table.systems[i] for i in order], *(column[order].tolist() for column in columns), strict=True)
    return PipelineErrors(name, kind, scale.by, tuple(Rated(*row) for row in rows), without)
