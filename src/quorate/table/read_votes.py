"""Votes between pairs of models, read from a file or a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate import wording
from quorate.arguments import argument
from quorate.arrays import dense, one_of_each
from quorate.errors import InvalidData, InvalidInput
from quorate.roles import BETTER, JUDGE, PROMPT, SYSTEM, VERDICT
from quorate.table.columns.labels import statuses_of
from quorate.table.columns.outcomes import occurring, order_of, outcomes_of
from quorate.table.columns.repeating import hint_of_file, hint_of_frame
from quorate.table.columns.vote_columns import VoteColumns, as_votes, from_duckdb, from_frame, from_lazy, in_pairs
from quorate.table.columns.vote_roles import VoteRoles, resolve_votes
from quorate.table.exchange.format import Opened, quoted
from quorate.table.exchange.postgres.address import Places, is_place, places_of
from quorate.table.exchange.rows import ROW_NUMBER, Rows, is_made
from quorate.table.exchange.wide import AS_IT_IS, BEATEN, COUNT, PLACE, SCORE, shape_of
from quorate.table.facets import STATUSES, Facet, Source
from quorate.table.files import explained, opened, source_of
from quorate.table.notes import Note, log
from quorate.table.pairs import MISSING, TIE, A, B, Codes, turn
from quorate.table.read_scores import at_levels, source_of_frame
from quorate.table.results import wrapped
from quorate.table.votes import Votes


def read_votes(
    source: Any,
    *,
    model_a: str = "model_a",
    model_b: str | Sequence[str] = "model_b",
    winner: str | Sequence[str] = "winner",
    outcomes: Mapping[str, Any] | str | None = None,
    wins: Sequence[str] = (),
    rank: str | Sequence[str] | None = None,
    status: str | None = None,
    facets: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
    where: str | None = None,
    only: Mapping[str, str] | None = None,
    partitions: bool = False,
    part: str | None = None,
    format: str | None = None,
    counted: bool = False,
    announce: bool = True,
    **roles: str,
) -> Votes:
    """Read votes between pairs of models from a file or a data frame, one row per vote.

    Parameters
    ----------
    source : path or frame
        A CSV, TSV, JSON lines or Parquet file (text formats also gzipped), the ledger of a study whose items name two
        systems, or any frame that narwhals knows: pandas, polars, pyarrow, a DuckDB relation and others.
    model_a, model_b : str, or str and sequence of str
        Columns of the two models; ``":gpt"`` is a model that no column names, the same in every row. Several of
        ``model_b`` are a square of wins: cells count how often the system of the row beat that of the column.
    winner : str or sequence of str
        Column of the outcome; of several columns each is what one judge said, or of one prompt, where a column that is
        named says who judged. Recognised are ``model_a``, ``model_b``, ``tie`` and ``tie (bothbad)`` as in Chatbot
        Arena; ``A``, ``B`` and ``C`` (tie); the winning model's own name; 1, 2 and 0 (tie); 1, -1 and 0 (tie); true
        (``model_a``, or the model that the name of the column says) and false; words such as ``refused`` and
        ``error``, which are missing, never ties. What was made of them is said in ``notes``.
    outcomes : mapping or "names", optional
        What the labels mean, where they are others or can be read in two ways: ``{"a": 1, "b": 0, "tie": 0.5}``, with
        keys ``a``, ``b``, ``tie``, ``both bad`` and ``missing``, each a label or several. Every label that occurs must
        be covered. ``"names"`` says that labels are names of models and nothing else.
    wins : sequence of str
        Instead of ``winner``: two columns that count the votes for the first and the second model; a third counts ties.
    rank : str or sequence of str, optional
        Of rankings: column of places, 1 the best, equal ones shared. Every row is then a system, in the column
        ``model_a`` or one that is named so, of the ranking in the column ``cluster``; these become a vote on every pair
        of each ranking, of which ``rankings="cluster"`` of `quorate.rank` makes rankings again. Several columns hold
        the places of one system each, and every row is a ranking; of one alone in a list every cell names systems, the
        best first, as ``x > y > z``, where ``x > y | z > w`` leaves open which of ``y`` and ``z`` is ahead. Without a
        place a system is not ranked.
    status : str, optional
        Column that says of every row whether it is ok, unparsed, refused, error or truncated. A row that is not ok is
        missing, whatever stands in ``winner``. Without it a column named ``status`` is used; ``""`` says there is none.
    facets : mapping of str to str, optional
        Further roles to columns, such as ``{"expanded": "expanded"}``, to select by with `Votes.only`.
    covariates : sequence of str, optional
        What the two systems of a vote differ in besides, for ``covariates`` of `quorate.rank`: columns of differences,
        first less second, or names such as ``length`` of two columns ``length_a`` and ``length_b``; kept as facets.
    where : str, optional
        A condition in DuckDB's SQL over the columns of a file, such as ``"language = 'de' AND turn <= 2"``: rows for
        which it does not hold, or is not known, are not read. One expression of columns, values, operators and plain
        functions; statements, subqueries and functions that read files or the environment are refused. Text beside a
        number is taken as a number. A data frame is filtered by its own library.
    only : mapping of str to str, optional
        One level of each facet named, such as ``{"judge": "gpt"}``; the rest is not used.
    partitions : bool
        Whether the source is a folder, whose Parquet files or JSON lines are read as one table with columns that its
        folders name, such as ``judge=gpt/part.parquet``. The folders above a file that is named itself say nothing.
    counted : bool
        Whether rows that agree in all columns in use become one, with their ``count``: of ten million votes on 100
        systems some 15,000 rows are left. DuckDB does that with a file or relation, where at least half the rows agree
        with others, and its own engine with a lazy frame; only counts are then held. The order of rows and their
        ``time`` are lost; a column that tells rows apart, such as a prompt's, is kept by being left in, and left out
        by ``prompt=""``. Rankings and counts of wins are read as they are.
    announce : bool
        Whether what was read as what is logged, by the logger ``quorate``: what is plain as information, what was taken
        for granted and caveats as warnings. ``notes`` has it either way.
    **roles : str
        Columns of ``prompt``, ``prompt_type``, ``judge``, ``cluster`` (such as the ranking that several votes come
        from), ``propensity`` (the chance at which a vote was asked of its pair, as `quorate.votes.next_battles` gives
        it), ``order`` (which model was shown first; ``order="model_a"`` if that one always was), ``time`` and ``count``
        (votes that a row stands for). Those not given are recognised by name; ``""`` leaves one out. Two columns
        together are one with ``*`` between their names, as in ``cluster="question*rater"``.

    Returns
    -------
    Votes
        One entry per row, in the order of the source. Rows that compare a model with itself, and rows with a count of
        0, are left out.

    Raises
    ------
    InvalidInput
        If the source cannot be opened or a declaration contradicts itself.
    UnknownColumn
        If a column is not there.
    InvalidData
        If an outcome, count, time, order or status cannot be read, a model has no name, or the file is broken.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame(
    ...     {"model_a": ["x", "y", "x"], "model_b": ["y", "x", "y"], "winner": ["model_a", "model_a", "tie"]}
    ... )
    >>> votes = read_votes(frame, announce=False)
    >>> votes.n, votes.n_decisive, votes.wins("x", "y"), votes.wins("y", "x")
    (3, 2, 1, 1)
    """
    if status is not None:
        roles = {**roles, "status": status}
    of = PROMPT if {**(facets or {}), **roles}.get(JUDGE) else JUDGE  # who judged stands in a column of its own
    shape = AS_IT_IS if isinstance(winner, str) or len(winner) < 2 else shape_of({of: winner})
    if not isinstance(winner, str):
        winner = SCORE if shape.steps else winner[0]
    if not isinstance(model_b, str):
        shape, model_b = shape_of({BEATEN: model_b}), BEATEN
        winner, roles = (model_a if winner == "winner" else winner), {**roles, COUNT: SCORE}
    ranked = (rank,) if isinstance(rank, str) and BETTER in rank else ()
    rank = ranked or rank
    if rank is not None and not isinstance(rank, str):
        listed = len(rank) == 1
        count = roles.pop("count", None) if listed else None
        shape = replace(shape_of({PLACE if listed else SYSTEM: rank}), count=count or None)
        rank, model_a = (PLACE, SCORE) if listed else (SCORE, SYSTEM)
        roles = {"cluster": ROW_NUMBER, **roles} if "cluster" not in (facets or {}) else roles
    declared: dict[str, Any] = {"pair": {"model_a": model_a, "model_b": model_b, "winner": winner}, "wins": wins}
    declared |= {"facets": dict(facets or {}), "covariates": covariates, "rank": rank, "declared": roles}
    by_path, rows = is_place(source), Rows(where, partitions, part, format, shape)
    of_texts = (winner,) if winner.endswith(VERDICT) else ()
    named = (model_a, model_b, *of_texts, *roles.values(), *(facets or {}).values(), *ranked)
    rows = replace(rows, numbered=ROW_NUMBER in named, made=tuple(filter(is_made, named)))
    read_source = _read_file if by_path else _read_frame
    place = places_of(source) if by_path else source
    try:
        read = read_source(place, declared, outcomes, rows, counted)
    except InvalidData:
        if not counted:
            raise
        read = read_source(place, declared, outcomes, rows, False)  # row by row, which says where it goes wrong
    votes = at_levels(read, only)
    if announce:
        log(votes.notes, votes.source.caveats)
    return votes


def _read_file(path: Places, declared: Mapping[str, Any], outcomes: object, rows: Rows, together: bool) -> Votes:
    with opened(path, rows) as file:
        if file.pairs or file.kind == "scores":
            declared, outcomes = as_votes(file, path, declared, outcomes)
        elif file.facets:
            named = {**declared["declared"], **declared["facets"]}
            own = {name: name for name in file.facets if name not in {*named, *named.values()}}
            declared = {**declared, "facets": {**declared["facets"], **own}}
        roles, together = _untimed(resolve_votes(file.columns, **declared), together)
        columns = from_duckdb(file, roles, together=together)
        if file.pairs and roles.time == "at":
            columns = replace(columns, dated=True)
        source = source_of(path, file, rows)
        hint = () if file.facets else hint_of_file(roles.notes, file, votes=True)
    roles = replace(roles, notes=(*file.notes, *roles.notes, *hint))
    return _votes(columns, roles, outcomes, source)


def _read_frame(source: Any, declared: Mapping[str, Any], outcomes: object, rows: Rows, together: bool) -> Votes:
    import narwhals as nw

    frame = wrapped(source)
    place = source_of_frame(frame)
    frame, rows, reshaped = rows.of_frame(frame)
    if frame.implementation.is_duckdb():
        with explained(place.name):
            held = rows.of(Opened(frame.to_native(), tuple(frame.collect_schema().names()), typed=True))
            roles, together = _untimed(resolve_votes(held.columns, **declared), together)
            columns = from_duckdb(held, roles, together=together)
            roles = replace(roles, notes=(*held.notes, *roles.notes, *hint_of_file(roles.notes, held, votes=True)))
        return _votes(columns, roles, outcomes, replace(place, caveats=held.caveats))
    roles, together = _untimed(resolve_votes(tuple(frame.collect_schema().names()), **declared), together)
    roles = replace(roles, notes=(*reshaped, *roles.notes, *hint_of_frame(roles.notes, frame, votes=True)))
    if isinstance(frame, nw.LazyFrame):
        if together:
            return _votes(from_lazy(frame, roles), roles, outcomes, place)
        used = (*roles.labels, *roles.numbers, *((roles.time,) if roles.time is not None else ()))
        frame = frame.select(*dict.fromkeys(used)).collect()
    return _votes(from_frame(frame, roles), roles, outcomes, place)


def _untimed(roles: VoteRoles, together: bool) -> tuple[VoteRoles, bool]:
    """The roles without the time of each vote where rows are counted, which rankings and counts of wins are not."""
    if not together or roles.rank is not None or roles.wins:
        return roles, False
    return replace(roles, time=None, notes=tuple(note for note in roles.notes if note.role != "time")), True


def _votes(columns: VoteColumns, roles: VoteRoles, outcomes: object, source: Source) -> Votes:
    """The votes of a pass over the rows, every pair oriented alike."""
    models, first, second = _models(columns, roles)
    if not len(first):
        raise InvalidData(f"{source.name}: has no rows; of the ledger of a study, quorate status STUDY says why")
    status = np.zeros(len(first), dtype=np.int8)
    if roles.status is not None:
        words = columns.labels[roles.status]
        known = [STATUSES.index(status) for status in statuses_of(words, roles.status)]
        status = np.array(known, dtype=np.int8)[words.codes]
    if roles.rank is not None:
        return _nested(_of_rankings(columns, roles, models, first, status, source))
    order = None if roles.order is None else order_of(columns.labels[roles.order], roles.order, (first, second), models)
    outcome, notes = np.where(status > 0, np.int8(MISSING), np.int8(A)), roles.notes
    if roles.winner is not None:  # a row that is not ok has no outcome
        winner = columns.labels[roles.winner]
        usable = winner if roles.status is None else occurring(winner, status == 0)
        outcome, reason, meaning = outcomes_of(usable, roles.winner, (first, second), models, outcomes)
        status, notes = np.where(status > 0, status, reason), (*notes, Note(meaning))
    elif outcomes is not None:
        raise InvalidInput("outcomes: says what labels of a winner mean, but wins counts them; give one of the two")
    swapped = first > second
    facets, codes = _facets(columns, roles)
    table = Votes(
        models=models,
        model_a=np.minimum(first, second),
        model_b=np.maximum(first, second),
        outcome=turn(outcome, swapped),
        swapped=swapped & (roles.winner != roles.model_a),  # who won is no order in which two were shown
        facets=facets,
        codes=codes,
        order=None if order is None else turn(order, swapped),
        time=columns.time,
        dated=columns.dated,
        count=_count(columns, roles),
        status=status if status.any() else None,
        row=None if columns.rows is None else np.zeros(len(first), dtype=np.int64),
        source=source,
        notes=notes,
    )
    return _kept(_nested(_counted(table, columns, roles) if roles.wins else table), columns.rows)


def _facets(columns: VoteColumns, roles: VoteRoles) -> tuple[tuple[Facet, ...], dict[str, NDArray[np.int32]]]:
    """Facets, and the code of every row in each."""
    held = {role: (name, columns.labels[name]) for role, name in roles.facets.items()}
    facets = tuple(Facet(role, name, one.levels, values=one.values) for role, (name, one) in held.items())
    return facets, {role: one.codes.astype(np.int32) for role, (_, one) in held.items()}


def _count(columns: VoteColumns, roles: VoteRoles) -> NDArray[np.int64] | None:
    """Votes that every entry stands for; None if one each."""
    if roles.count is None:
        return columns.rows
    count = columns.numbers[roles.count].astype(np.int64)
    return count if columns.rows is None else count * columns.rows


def _of_rankings(
    columns: VoteColumns,
    roles: VoteRoles,
    models: tuple[str, ...],
    system: Codes,
    status: NDArray[np.int8],
    source: Source,
) -> Votes:
    """A vote on every pair of each ranking; rows that are not ok are not ranked."""
    if "cluster" not in roles.facets:
        raise InvalidInput(
            "cluster: nothing says which rows are of one ranking; name its column, "
            + argument("cluster", ..., group="roles")
        )
    facets, codes = _facets(columns, roles)
    rank, listed = str(roles.rank), (roles.rank, roles.model_a) == (PLACE, SCORE)  # where who shares one is not ahead
    found = in_pairs(columns.labels[rank], rank, system, models, codes, status == 0, ties=not listed)
    a, b = system[found.first], system[found.second]
    table = Votes(
        models=models,
        model_a=a,
        model_b=b,
        outcome=found.outcome,
        swapped=np.zeros(len(a), dtype=np.bool_),
        facets=facets,
        codes={role: code[found.first] for role, code in codes.items()},
        row=np.zeros(len(a), dtype=np.int64),
        source=source,
        notes=(*roles.notes, *found.notes),
    )
    return table.keep(np.ones(table.rows, dtype=np.bool_))


def _models(columns: VoteColumns, roles: VoteRoles) -> tuple[tuple[str, ...], Codes, Codes]:
    """Labels of both columns of models together, in alphabetical order, and the two models of every row."""
    coded = [columns.labels[name] for name in (roles.model_a, roles.model_b)]
    models = tuple(sorted({level for column in coded for level in column.levels if level.strip()}))
    place = {model: code for code, model in enumerate(models)}
    both = []
    for name, column in zip((roles.model_a, roles.model_b), coded, strict=True):
        codes = np.array([*(place.get(level, -1) for level in column.levels), -1], dtype=np.int32)[column.codes]
        if (codes < 0).any():
            row, count = int((codes < 0).argmax()) + 1, int((codes < 0).sum())
            raise InvalidData(
                f'column "{name}" is empty in row {row} ({count:,} rows like this); every vote needs two models: name '
                "them, or leave these rows out with " + argument("where", f"trim({quoted(name)}) <> ''")
            )
        both.append(codes)
    return models, both[0], both[1]


def _counted(table: Votes, columns: VoteColumns, roles: VoteRoles) -> Votes:
    """Rows that count wins of both sides, as one row for each outcome."""
    if table.count is not None:
        fix = argument("count", "", group="roles")
        raise InvalidInput("count: wins are counts already; leave one of the two out, such as " + fix)
    kinds = (A, B, TIE)[: len(roles.wins)]
    rows = np.repeat(np.arange(table.rows), len(kinds))
    count = np.column_stack([columns.numbers[name] for name in roles.wins]).astype(np.int64).ravel()
    outcome = np.tile(np.array(kinds, dtype=np.int8), table.rows)
    outcome = np.where(table.outcome[rows] == MISSING, np.int8(MISSING), outcome)
    held = {name: getattr(table, name) for name in ("order", "time", "status")}
    some: dict[str, Any] = {name: None if array is None else array[rows] for name, array in held.items()}
    return replace(
        table,
        model_a=table.model_a[rows],
        model_b=table.model_b[rows],
        outcome=turn(outcome, table.swapped[rows]),
        swapped=table.swapped[rows],
        codes={name: codes[rows] for name, codes in table.codes.items()},
        count=count,
        row=rows + 1,
        **some,
    )


def _nested(table: Votes) -> Votes:
    """A prompt belongs to one type: labels that start again in each type are told apart by it."""
    if not {PROMPT, "prompt_type"} <= set(table.names):
        return table
    prompts, types = table.facet(PROMPT), table.facet("prompt_type")
    prompt, size = table.column(PROMPT), len(types.levels) + 1
    labelled = prompt >= 0
    key = prompt[labelled].astype(np.int64) * size + table.column("prompt_type")[labelled] + 1
    code = dense(key)
    known = one_of_each(code, key)
    typed = known[known % size > 0] // size
    if not (typed[1:] == typed[:-1]).any():
        return table
    both = zip(*(part.tolist() for part in np.divmod(known, size)), strict=True)
    levels = tuple(prompts.levels[p] + (f" ({types.levels[t - 1]})" if t else "") for p, t in both)
    codes = np.full(table.rows, -1, dtype=np.int32)
    codes[labelled] = code
    note = Note("prompt: labels occur under several levels of prompt_type and are told apart by them")
    return replace(
        table,
        facets=tuple(Facet(PROMPT, prompts.column, levels) if facet is prompts else facet for facet in table.facets),
        codes={**table.codes, PROMPT: codes},
        notes=(*table.notes, note),
    )


def _kept(table: Votes, rows: NDArray[np.int64] | None) -> Votes:
    """Without rows that compare a model with itself or stand for no vote; what is not known of facets is said.

    ``rows`` are those of the source that each entry stands for.
    """
    each = np.ones(table.rows, dtype=np.int64) if rows is None else rows
    itself = table.model_a == table.model_b
    none = np.zeros(table.rows, dtype=np.bool_) if table.count is None else table.count == 0
    if itself.all():
        raise InvalidData(
            f"{table.source.name}: every row compares a model with itself; name the two columns, "
            + argument("model_a", ...)
            + " and "
            + argument("model_b", ...)
        )
    if (itself | none).all():
        raise InvalidData(f"{table.source.name}: every count is 0; there are no votes")
    selves = int(each[itself].sum())
    rows_said = f"{wording.counted(selves, 'row')} compare{'s' * (selves == 1)}"
    notes = [Note(f"{rows_said} a model with itself: left out")] if selves else []
    for facet in table.facets:
        empty = int(each[table.codes[facet.name] < 0].sum())
        notes += [Note(f"{facet.name}: {wording.counted(empty, 'row')} without a label")] if empty else []
    whole = table if not (itself | none).any() else table.keep(~(itself | none))
    return replace(whole, itself=selves, notes=(*table.notes, *notes))
