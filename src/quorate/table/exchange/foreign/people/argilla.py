"""Argilla: records with the responses of people, flat (data sets, JSON, Parquet) or whole (``to_json``)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate import caveats
from quorate.arguments import argument
from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.roles import ITEM, PROMPT
from quorate.table.columns.scales import number
from quorate.table.exchange.foreign.records import (
    Records,
    chosen,
    columns_of,
    document,
    labelled,
    list_at,
    meant,
    name_at,
    name_or_none,
    object_at,
    objects,
    shown,
)
from quorate.table.exchange.format import Format, Kind, Opened, pattern
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb

_RESPONSES, _USERS, _STATUS, _SUGGESTION = ".responses", ".responses.users", ".responses.status", ".suggestion"
_STATUSES = {"submitted": "ok", "draft": "refused", "discarded": "refused", "pending": "refused"}
_OWN = ("id", "status", "_server_id")


@dataclass(frozen=True)
class Response:
    """What one person answered to one question about one record.

    Parameters
    ----------
    record : str
        Id of the record.
    fields : mapping of str to object
        Fields and metadata of the record.
    question : str
        Name of the question.
    user : str, optional
        Who answered.
    value : object
        As it stands there.
    status : str
        One of the words of `quorate.read`.
    suggested : str, optional
        Who suggested an answer before.
    """

    record: str
    fields: Mapping[str, Any]
    question: str
    user: str | None
    value: Any
    status: str
    suggested: str | None

    @property
    def score(self) -> float | str:
        """The answer as a number, else as the word that it is; nan if it is neither."""
        found = number(self.value) if isinstance(self.value, (str, int, float)) else math.nan
        if found is None:
            return str(self.value)
        return math.nan if math.isinf(found) else found

    @property
    def is_word(self) -> bool:
        """Whether it is no number."""
        score = self.score
        return isinstance(score, str) or math.isnan(score)


def claims(glance: Glance) -> bool:
    """Whether records have responses with their status, or fields beside responses."""
    record = glance.record
    columns = glance.header if _is_parquet(glance) else ()
    flat = any(name.endswith(_STATUS) for name in (*record, *columns))
    inner = record.get("responses")
    first = inner[0] if isinstance(inner, list) and inner else None
    people = isinstance(first, dict) and isinstance(first.get("values"), dict)
    whole = (glance.array and isinstance(inner, dict)) or people or "value" in _first_given(record)
    return flat or (isinstance(record.get("fields"), dict) and whole)


def _first_given(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first response to the first question of a whole record; empty if there is none."""
    inner = record.get("responses")
    asked = next(iter(inner.values()), None) if isinstance(inner, dict) else None
    given = asked[0] if isinstance(asked, list) and asked else None
    return given if isinstance(given, dict) else {}


def _read_responses(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """A judgment for each response to a question, or the votes of a ranking.

    Parameters
    ----------
    connection : DuckDBPyConnection
        That shows the rows.
    path : Path
        The records.
    part : str, optional
        Questions.

    Raises
    ------
    InvalidInput
        If there are several questions with numbers and none is named.
    UnknownTerm
        If there is no question of this name.
    InvalidData
        If the file is not what it should be.
    """
    responses = list(_responses(connection, path))
    answers: dict[str, list[Response]] = {}
    for one in responses:
        answers.setdefault(one.question, []).append(one)
    given = {name: [one for one in mine if one.value is not None] for name, mine in answers.items()}
    ranked = [name for name, mine in given.items() if mine and all(isinstance(one.value, list) for one in mine)]
    words = {name: one.value for name, mine in given.items() for one in mine if one.is_word}
    numbers = {name: [one.score for one in mine] for name, mine in answers.items() if name not in words and given[name]}
    chosen_words = {
        name: [one.score for one in mine]
        for name, mine in given.items()
        if name in words and all(isinstance(one.value, (str, int, float)) for one in mine)
    }
    if part in words and part not in (*ranked, *chosen_words):
        raise InvalidData(
            f'{path}: question "{part}" holds {shown(words[part])}, not scores; name another with '
            + argument("part", next(iter((*numbers, *ranked, *chosen_words)), ...))
        )
    found = {**numbers, **{name: [] for name in ranked}, **chosen_words}
    if not found:
        raise InvalidData(f"{path}: no question is answered by a number, a ranking or a label")
    wanted = chosen(part, found, "question")
    kind: Kind = "votes" if wanted[0] in ranked else "scores"
    mine = [one for name in wanted for one in answers[name]]
    own = ITEM if kind == "scores" else PROMPT
    columns = columns_of((name for one in mine for name in one.fields), kind)
    columns = {name: column for name, column in columns.items() if column not in ("model_a", "model_b", "cluster")}
    said_of_each = ("judge", "criterion", "score", "model_a", "model_b", "winner", "cluster", "status")
    rows = Records(own, *columns.values(), *said_of_each)
    for one in mine:
        which = one.question if len(wanted) > 1 else None
        labels = {own: one.record, **labelled(one.fields, columns), "judge": one.user, "criterion": which}
        if kind == "scores":
            rows.add(**labels, score=one.score, status=one.status)
        else:
            for pair in _pairs(f"{path}: record {one.record}, {one.question}", one.value or []):
                rows.add(**labels, **pair, cluster=f"{one.record} {one.user}", status=one.status)
    before = [one.suggested for one in mine if one.suggested is not None]
    said = [caveats.prelabelled(len(before), len(mine), dict.fromkeys(before))] if before else []
    told = _is_flat(path) or "status" in _first_given(Glance(path).record)
    said += [] if told else [caveats.statuses_unknown()]
    return rows.opened(
        connection,
        kind,
        facets=("criterion",),
        notes=[Note(f"{'score' if kind == 'scores' else 'winner'} = question {', '.join(wanted)}")],
        caveats=said,
    )


def _is_parquet(glance: Glance) -> bool:
    return glance.block.startswith(b"PAR1")


def _is_flat(path: Path) -> bool:
    return "responses" not in Glance(path).record


def _responses(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[Response]:
    """Every response to every question of a file."""
    glance = Glance(path)
    if _is_parquet(glance):
        relation = connection.sql(f"SELECT * FROM read_parquet({pattern(path)})")
        records: Iterable[Any] = (dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall())
    else:
        whole = document(path, "export it as JSON lines or Parquet") if glance.array else None
        records = (line for _, line in objects(path)) if whole is None else list_at(whole, f"{path}")
    read = _flat if _is_flat(path) else _whole
    for place, given in enumerate(records, 1):
        where = f"{path}: record {place}"
        record = object_at(given, where)
        yield from read(where, name_at(record.get("id", place), f"{where}: id"), record)


def _flat(where: str, name: str, record: Mapping[str, Any]) -> Iterator[Response]:
    questions = [key.removesuffix(_RESPONSES) for key in record if key.endswith(_RESPONSES)]
    inner = tuple(f"{question}." for question in questions)
    fields = {key: value for key, value in record.items() if key not in _OWN and not key.startswith(inner)}
    for question in questions:
        at = f"{where}: {question}"
        values = list_at(record[question + _RESPONSES], at)
        users, statuses = (list_at(record.get(question + end), f"{at}{end}") for end in (_USERS, _STATUS))
        if not len(values) == len(users) == len(statuses):
            raise InvalidData(f"{at} has {len(values)} responses of {len(users)} users with {len(statuses)} statuses")
        suggestion = record.get(question + _SUGGESTION)
        agent = record.get(question + _SUGGESTION + ".agent")
        suggested = None if suggestion is None else str(agent or "a model")
        for value, user, status in zip(values, users, statuses, strict=True):
            known = meant(status, _STATUSES, f"{at}: status")
            yield Response(name, fields, question, name_or_none(user, f"{at}: user"), value, known, suggested)


def _whole(where: str, name: str, record: Mapping[str, Any]) -> Iterator[Response]:
    fields = {
        **object_at(record.get("fields"), f"{where}: fields"),
        **object_at(record.get("metadata"), f"{where}: metadata"),
    }
    if isinstance(record.get("responses"), list):
        yield from _of_people(where, name, fields, record["responses"])
        return
    suggestions = object_at(record.get("suggestions"), f"{where}: suggestions")
    for question, responses in object_at(record.get("responses"), f"{where}: responses").items():
        at = f"{where}: {question}"
        suggestion = object_at(suggestions.get(question), f"{at}: suggestion")
        suggested = str(suggestion.get("agent") or "a model") if suggestion else None
        for one in list_at(responses, at):
            response = object_at(one, at)
            person = name_or_none(response.get("user_id"), f"{at}: user_id")
            status = meant(response.get("status", "submitted"), _STATUSES, f"{at}: status")
            yield Response(name, fields, question, person, response.get("value"), status, suggested)


def _of_people(where: str, name: str, fields: Mapping[str, Any], responses: Sequence[Any]) -> Iterator[Response]:
    """Responses as versions before 2 write them: a list of people, each with the values that they gave."""
    for place, one in enumerate(responses, 1):
        at = f"{where}: response {place}"
        response = object_at(one, at)
        status = meant(response.get("status", "submitted"), _STATUSES, f"{at}: status")
        person = name_or_none(response.get("user_id"), f"{at}: user_id")
        for question, value in object_at(response.get("values"), f"{at}: values").items():
            given = object_at(value, f"{at}: {question}").get("value")
            yield Response(name, fields, question, person, given, status, None)


def _pairs(where: str, ranking: Iterable[Any]) -> Iterator[dict[str, str]]:
    """Every two of what was ranked, and which of them stands higher."""
    ranks = []
    for one in ranking:
        entry = object_at(one, where)
        rank = entry.get("rank")
        if rank is None or isinstance(rank, bool) or not isinstance(rank, (int, float)):
            raise InvalidData(f"{where}: rank {shown(rank)} is no number")
        ranks.append((name_at(entry.get("value"), f"{where}: value"), rank))
    for place, (first, above) in enumerate(ranks):
        for second, below in ranks[place + 1 :]:
            winner = "tie" if above == below else "model_a" if above < below else "model_b"
            yield {"model_a": first, "model_b": second, "winner": winner}


SIGHT = (".responses", '"responses"')
FORMAT = Format("argilla", _read_responses, claims=claims, tool=True)
