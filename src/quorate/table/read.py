"""Judgments or votes, read from a file or a frame: whichever of the two it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import Any, TypeVar, cast

from quorate.errors import InvalidInput
from quorate.roles import ITEM, MEANING, REPLICATE, SYSTEM
from quorate.table.columns.roles import FIXED
from quorate.table.columns.vote_roles import ALIASES, has_pairs
from quorate.table.exchange.format import Kind, SeveralParts
from quorate.table.exchange.postgres.address import is_place, places_of
from quorate.table.exchange.rows import Rows
from quorate.table.families import Families
from quorate.table.files import columns_of, located, opened
from quorate.table.judgments import Judgments
from quorate.table.notes import LOG
from quorate.table.read_scores import read_scores
from quorate.table.reading.item import completing
from quorate.table.reading.reading import Unsure
from quorate.table.reading.taken import ARGUMENTS, OF_VOTES, taken
from quorate.table.results import wrapped
from quorate.table.votes import Votes
from quorate.wording import words

_SCORES = words("score object nested fixed missing scale wide label numbers labels less_is_better families")
"""Arguments for scores alone."""
_ROWS = words("kind where only partitions part format")
"""Arguments that say nothing of what columns stand for."""
Function = TypeVar("Function", bound=Callable[..., Any])


def read(
    source: Any,
    *,
    kind: Kind | None = None,
    score: str = "score",
    facets: Mapping[str, str] | None = None,
    object: str = "item",
    nested: Mapping[str, str] | None = None,
    fixed: Iterable[str] = FIXED,
    status: str | None = None,
    missing: Iterable[str] = (),
    scale: tuple[float, float] | None = None,
    wide: Mapping[str, Sequence[str]] | None = None,
    label: str | None = None,
    numbers: Mapping[str, float] | None = None,
    labels: bool = False,
    less_is_better: bool = False,
    families: Families | None = None,
    model_a: str = "model_a",
    model_b: str | Sequence[str] = "model_b",
    winner: str | Sequence[str] = "winner",
    outcomes: Mapping[str, Any] | str | None = None,
    wins: Sequence[str] = (),
    rank: str | Sequence[str] | None = None,
    where: str | None = None,
    only: Mapping[str, str] | None = None,
    partitions: bool = False,
    part: str | None = None,
    format: str | None = None,
    recognise: bool = False,
    announce: bool = True,
) -> Judgments | Votes:
    """Judge scores, or votes between two models, from a file or a data frame, one row per judgment.

    Parameters
    ----------
    source : path or frame
        A CSV, TSV, JSON lines or Parquet file (text formats also gzipped); the log of another tool, a folder or a
        pattern (``logs/*.eval``) of them; a ledger of collected judgments, also by its address
        (``postgresql://user@host/database?schema=study``, without a password); or any frame that narwhals knows:
        pandas, polars, pyarrow, a DuckDB relation and others. Files are read lazily; of scores only the result per
        cell is held.
    kind : {"scores", "votes"}, optional
        What the rows are. Without it they are votes if the format says so, if an argument of votes is given, or if
        there are columns of two models; else scores.
    score : str
        Column of the score: numbers, booleans, or text that says either; ``"passed/tried"`` is the share of one column
        in another.
    facets : mapping of str to str, optional
        Role to column, such as ``{"item": "item_id", "judge": "judge_model"}``. The role ``replicate`` names the
        column that tells repeated judgments of one cell apart, ``count`` one that says how many times a row is meant.
        Without it columns are recognised by their names and
        what was taken is said in ``notes``, as is which columns are not used.
    object : str
        Role of the object of measurement.
    nested : mapping of str to str, optional
        Role to the role or column it is nested in, such as ``{"item": "category"}``. A column that is no facet yet
        becomes one, under its own name.
    fixed : iterable of str
        Roles whose levels are chosen, not drawn. Of those that are chosen by default, one of more than 500 levels is
        taken as drawn, with a note.
    status : str, optional
        Column that says of every row whether it is ok, unparsed, refused, error or truncated. A row that is not ok
        gives no score, whatever number stands there. Without it a column named ``status`` that plays no other role
        is used, with a note; ``""`` says that there is none.
    missing : iterable of str
        Scores that stand for no score, such as ``("N/A",)``.
    scale : (float, float), optional
        Least and greatest score that there can be, such as ``(1, 5)``: the ends that intervals of means keep to,
        instead of those seen in the data. A score beyond it is refused.
    wide : mapping of str to sequence of str, optional
        Of a file with a column for each judge, prompt or criterion: the role and its columns, such as
        ``{"judge": ["gpt", "claude"]}``, or ``{"judge": ["rater*"]}``. Each value is a judgment of its own. Of one
        column whose cells hold lists, such as ``[3, 4, 5]`` or ``3;4;5``, each entry is one; who gave it says a column
        of lists that ``facets`` names for the role, else its place. ``{"score": ["low", "high"]}`` are columns that
        count how often each label was given. Where the rows are labels too, as in a cross table, ``"columns"`` is the
        other judge: ``{"score": ["low", "high"], "judge": ["rater1", "columns"]}``.
    label : str, optional
        Of a column of words, the one whose share is the score: 1 where a judge gave it, 0 where it gave another.
    numbers : mapping of str to float, optional
        Of a column of words, the number that each stands for, such as ``{"bad": 1, "ok": 2, "good": 3}``, in small
        letters or large; the least and the greatest are the ends of the scale. Without it words of usual scales
        (strongly disagree to strongly agree, poor to excellent, no and yes, fail and pass), percentages, fractions
        such as 7/10 and words with their number, such as ``5 - excellent``, are read, and a note says as what.
    labels : bool
        Whether the score is a label: words, or numbers that only tell things apart. For `quorate.scores.labels`, which
        has the share of each, how far judges agree, and which labels they confuse; nothing else takes such a table.
    less_is_better : bool
        Whether less of the score is better, as of errors. Scores stay as they are, and the least mean is the best.
    families : "auto" or mapping of str to str, optional
        Family of each judge, such as ``{"gpt-4o": "openai", "gpt-4.1": "openai"}``, or by the makers that names tell:
        judges are then drawn, nested in families, whose judges may err together. A column of families is named by
        ``nested={"judge": column}`` instead.
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
    part : str, optional
        Which of the scores that the log of another tool holds: a scorer, a metric, a filter; several with commas, as
        levels of one judge.
    format : str, optional
        Name of the format, such as ``"inspect"`` or ``"csv"``, where neither the beginning of the file nor its name
        tell it.
    model_a, model_b, winner, outcomes, wins, rank
        Of votes, as in `quorate.read_votes`; other roles of votes are named in ``facets``.
    recognise : bool
        Whether columns that are not named in ``facets`` are recognised by their names too; a role with an empty column,
        such as ``{"judge": ""}``, is then left out. Without any argument that says how the table is read, what its
        columns hold is looked at where their names say too little.
    announce : bool
        Whether what was read as what is logged, by the logger ``quorate``: what is plain as information, what was taken
        for granted and caveats as warnings. ``notes`` has it either way.

    Returns
    -------
    Judgments or Votes
        Of scores one entry per cell, in the order of the levels, whatever the order of the rows; of votes one entry
        per row, in the order of the source.

    Raises
    ------
    InvalidInput
        If the source cannot be opened, a declaration contradicts itself, or arguments of both kinds are given.
    UnknownColumn
        If a column is not there.
    InvalidData
        If scores are not finite numbers, nor words whose numbers are known, a status or an outcome is not known, what
        is measured has no label, or the file is broken.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"item": ["a", "a", "b", "b"], "judge": ["x", "y", "x", "y"], "score": [1, 2, 3, 4]})
    >>> table = read(frame, facets={"item": "item", "judge": "judge"})
    >>> table.n_cells, table.facet("judge").levels
    (4, ('x', 'y'))
    >>> read(polars.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]}), announce=False).models
    ('x', 'y')
    """
    asked, rows = locals(), Rows(where, partitions, part, format)
    given = {name: asked[name] for name in ARGUMENTS if asked[name] != _PLAIN[name]}

    def as_said(kind: Kind | None, found: Mapping[str, Any]) -> Judgments | Votes:
        arguments = {**given, "recognise": recognise or bool(found), **found}
        return _as_said(source, kind, rows, arguments, announce=announce)

    if recognise or given.keys() - {*_ROWS, *MEANING}:
        scores = {name: value for name, value in given.items() if name in _SCORES}
        return completing(lambda found: as_said(kind, found), source, rows, scores, facets)
    return _by_itself(source, kind, rows, as_said, given, announce=announce)


_PLAIN = {name: one.default for name, one in signature(read).parameters.items()}
"""What arguments are that are not given."""


def _by_itself(
    source: Any,
    kind: Kind | None,
    rows: Rows,
    as_said: Callable[[Kind | None, Mapping[str, Any]], Judgments | Votes],
    given: Mapping[str, Any] = MappingProxyType({}),
    *,
    announce: bool = True,
    about: str = "",
) -> Judgments | Votes:
    """The table as its columns say; what was taken for granted is logged."""
    try:
        table, granted = taken(source, kind, rows, as_said, about=about)
    except Unsure as open_:  # of which an argument that is given may be the answer
        table, granted = as_said(open_.kind, open_.meant_by(given)), ""
    if announce and granted:
        LOG.warning(granted)
    return table


def _as_said(
    source: Any, kind: Kind | None, rows: Rows, given: Mapping[str, Any], *, announce: bool = True
) -> Judgments | Votes:
    """The table as the arguments say it is read, and names of columns where these say nothing."""
    facets = given.get("facets") or {}
    if kind is None and {ITEM, SYSTEM, REPLICATE} & facets.keys():  # roles that votes do not have
        kind = "scores"
    scores = kind_of(source, kind, given, rows) == "scores"
    others = {"kind", *(OF_VOTES if scores else (*_SCORES, "recognise", "facets"))}
    own = {name: value for name, value in given.items() if name not in others}
    if scores:
        return read_scores(source, announce=announce, **own)
    from quorate.table.read_votes import read_votes

    return read_votes(source, announce=announce, **{**own, **by_role(facets)})


def by_role(facets: Mapping[str, str] | None) -> dict[str, Any]:
    """Facets of votes as `quorate.read_votes` takes them: its own roles by their names, and the others."""
    roles: dict[str, Any] = {role: column for role, column in (facets or {}).items() if role in ALIASES}
    return {"facets": {role: column for role, column in (facets or {}).items() if role not in roles}, **roles}


def kind_of(source: Any, kind: Kind | None, given: Mapping[str, Any], rows: Rows) -> Kind:
    """What a source holds: as it is said, else as the arguments say, else as its format or its columns do.

    Raises
    ------
    InvalidInput
        If arguments for both kinds are given, or for the kind that it is said not to be.
    """
    if kind not in (None, "scores", "votes"):
        raise InvalidInput(f'kind: expects "scores" or "votes", got {kind!r}')
    for_scores, for_votes = (
        next((name for name in names if name in given and given[name] != _PLAIN[name]), None)
        for names in (_SCORES, OF_VOTES)
    )
    wrong = {"scores": for_votes, "votes": for_scores}
    if kind is not None and wrong[kind] is not None:
        raise InvalidInput(f"{wrong[kind]}: is not for {kind}; leave it out, or leave out kind")
    if for_scores and for_votes:
        raise InvalidInput(f"{for_scores}: for scores, and {for_votes} is for votes; give arguments of one of the two")
    if kind is not None:
        return kind
    if for_scores or for_votes:
        return "scores" if for_scores else "votes"
    if not is_place(source):
        return "votes" if has_pairs(wrapped(source).collect_schema().names()) else "scores"
    found = located(places_of(source), rows)
    said = found.form.holds(found.files[0] if found.files else found.place)
    if said is not None or not (found.form.tool or found.form.sheets):
        return said or ("votes" if has_pairs(columns_of(found)) else "scores")
    try:
        with opened(found.place, Rows(part=rows.part, format=rows.format)) as file:  # the part that is wanted says it
            return file.kind or ("votes" if has_pairs(file.columns) else "scores")
    except SeveralParts:
        return "scores"


def read_first(function: Function, about: str = "") -> Function:
    """A function of a table that takes the path of a file, a list of paths or a frame too, which `quorate.read` reads.

    Parameters
    ----------
    function : callable
        Its first argument is the table.
    about : str
        The role that it asks about, if not what it has an argument for, ``system``.
    """
    name, *others = signature(function).parameters

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        asked = about or (SYSTEM if "system" in others and named.get("system") is None else "")
        if given:
            return function(read_of(given[0], about=asked), *given[1:], **named)
        return function(**({**named, name: read_of(named[name], about=asked)} if name in named else named))

    return cast("Function", called)


def read_of(source: Any, *, about: str = "") -> Any:
    """What is at a path or in a frame, as `quorate.read` reads it; anything else as it is.

    What the question is ``about``, systems or judges, is asked or taken for them where nothing says it.
    """
    if type(source).__module__.startswith("quorate."):
        return source
    if not is_place(source):
        import narwhals as nw

        if not isinstance(nw.from_native(source, pass_through=True), nw.DataFrame | nw.LazyFrame):
            return source
    rows = Rows(None)

    def as_found(kind: Kind | None, found: Mapping[str, Any]) -> Judgments | Votes:
        return _as_said(source, kind, rows, {"recognise": bool(found), **found})

    return _by_itself(source, None, rows, as_found, about=about)
