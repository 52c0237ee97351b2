"""Every Eval Ever: one line for each sample and result; in files of ours one for each judgment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate import caveats
from quorate.errors import InvalidData, InvalidInput
from quorate.frozen import dataclass
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.exchange.foreign.records import (
    Records,
    chosen,
    columns_of,
    document,
    labelled,
    list_at,
    name_at,
    name_or_none,
    number_at,
    object_at,
    objects,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


SAMPLES = "_samples.jsonl"
"""End of the name of the samples of a summary."""
UNKNOWN = "unknown/unknown"
"""Id of a model that is not known."""
OURS = ("epoch", JUDGE, PROMPT, SYSTEM, "status")
"""Keys of the metadata of a sample that say more than the format has fields for."""
_WRITES = "Every Eval Ever 0.2 and 0.3"


@dataclass(frozen=True)
class Sample:
    """A line: what was judged, by what, and the score; None where the run failed.

    Parameters
    ----------
    item, system : str
        Ids; the system is the model.
    result : str, optional
        Which of the results it belongs to: of a panel's judgment the evaluation.
    judge, prompt, replicate : str, optional
        As the metadata have them.
    score : float, optional
        The score.
    fields : mapping of str to object
        The other metadata.
    """

    item: str
    system: str
    result: str | None
    judge: str | None
    prompt: str | None
    replicate: str | None
    score: float | None
    fields: Mapping[str, Any]

    @property
    def key(self) -> tuple[str | None, ...]:
        """What tells a judgment from every other one."""
        inside = json.dumps(self.fields, sort_keys=True, default=str) if self.judge is not None else None
        return self.item, self.system, self.result, self.judge, self.prompt, self.replicate, inside


def claims(glance: Glance) -> bool:
    """Whether the first object is a sample or a summary."""
    record = glance.record
    kinds = {"sample_id", "evaluation"} <= record.keys(), isinstance(record.get("evaluation_results"), list)
    return "schema_version" in record and not glance.array and any(kinds)


def opens(path: Path) -> Path:
    """The samples of a summary, where they lie beside it."""
    samples = path.with_name(path.stem + SAMPLES)
    return samples if path.suffix == ".json" and samples.is_file() else path


def read_samples(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """A judgment for each sample of a result; none for averages that were written into every attempt.

    Parameters
    ----------
    connection : DuckDBPyConnection
        That shows the rows.
    path : Path
        The samples.
    part : str, optional
        Ids of results.

    Raises
    ------
    InvalidInput
        If there are several results and none is named, or the file is a summary without its samples.
    UnknownTerm
        If there is no result of this name.
    InvalidData
        If the file is not what it should be, or has two scores for one judgment.
    """
    if not path.name.endswith(SAMPLES) and path.suffix == ".json":
        raise InvalidInput(f"{path}: holds averages alone; name the file of samples, which ends in {SAMPLES}")
    samples, repeated = _distinct(path)
    summary = path.with_name(path.name.removesuffix(SAMPLES) + ".json")
    about = object_at(document(summary, "leave it out"), f"{summary}") if summary.is_file() and summary != path else {}
    results = dict.fromkeys(one.result for one in samples if one.result is not None)
    failed = [one for one in samples if one.result is None]
    if not results:
        raise InvalidData(f"{path}: no sample belongs to a result")
    scores = {name: [one.score for one in samples if one.result == name] for name in results}
    wanted = chosen(part, scores, "result")
    ours = object_at(about.get("eval_library"), f"{summary}: eval_library").get("name") == "quorate"
    judges = _judges(about, f"{summary}")
    fields = dict.fromkeys(name for one in samples for name in one.fields)
    columns = {name: name for name in fields} if ours else columns_of(fields, "scores")
    columns = {name: column for name, column in columns.items() if column not in (ITEM, SYSTEM)}
    rows = Records(ITEM, SYSTEM, *columns.values(), JUDGE, PROMPT, REPLICATE, "score", "status")
    averaged = []
    for name in wanted:
        mine = [one for one in samples if one.result == name]
        if not ours and _is_averages(mine):
            averaged.append(name)
            mine = list({(one.item, one.system): one for one in mine}.values())
        for one in (*mine, *failed):
            rows.add(
                **labelled(one.fields, columns),
                item=one.item,
                system=None if one.system == UNKNOWN else one.system,
                judge=one.judge if ours else one.judge or judges.get(name, name),
                prompt=one.prompt,
                replicate=None if name in averaged else one.replicate,
                score=one.score,
                status="error" if one.score is None else "ok",
            )
    judged = any(one.judge is not None for one in samples)
    notes = [Note(f"score = {'judgments' if judged else 'result'} of {', '.join(wanted)}")]
    notes += [Note(f"{counted(repeated, 'line')} repeated word for word: left out")] if repeated else []
    return rows.opened(
        connection,
        "scores",
        facets=_declared(about, "facets", columns, f"{summary}"),
        nested={
            child: parent
            for child, _, parent in (pair.partition(" in ") for pair in _declared(about, "nested", {}, f"{summary}"))
        },
        notes=notes,
        caveats=[caveats.averages_as_attempts(averaged)] if averaged else [],
    )


def _distinct(path: Path) -> tuple[list[Sample], int]:
    """The samples, each once, and how many lines repeated one.

    Raises
    ------
    InvalidData
        If two lines give one judgment different scores.
    """
    found: dict[tuple[str | None, ...], Sample] = {}
    repeated = 0
    for number, line in objects(path, "sample_id", "evaluation", of=_WRITES):
        where = f"{path}: line {number}"
        one = _sample(where, line)
        before = found.setdefault(one.key, one)
        if before is not one:
            repeated += 1
            if before.score != one.score:
                raise InvalidData(
                    f"{where}: gives sample {one.item} of {one.result} a score of {one.score}, where a line before "
                    f"gives {before.score}; nothing tells the two apart"
                )
    return list(found.values()), repeated


def _sample(where: str, line: Mapping[str, Any]) -> Sample:
    metadata = object_at(line.get("metadata"), f"{where}: metadata")
    said = {key: name_or_none(metadata.get(key), f"{where}: {key}") for key in OURS}
    evaluation = object_at(line["evaluation"], f"{where}: evaluation")
    result = line.get("evaluation_name") if said[JUDGE] is not None else line.get("evaluation_result_id")
    if result is None and line.get("error") is None:
        result = line.get("evaluation_name")
    score = None if line.get("error") is not None else number_at(evaluation.get("score"), f"{where}: score")
    return Sample(
        item=name_at(line["sample_id"], f"{where}: sample_id"),
        system=said[SYSTEM] or name_at(line.get("model_id", UNKNOWN), f"{where}: model_id"),
        result=name_or_none(result, f"{where}: evaluation_result_id"),
        judge=said[JUDGE],
        prompt=said[PROMPT],
        replicate=said["epoch"],
        score=score,
        fields={name: value for name, value in metadata.items() if name not in OURS},
    )


def _is_averages(samples: Iterable[Sample]) -> bool:
    """Whether every attempt at an item has one score, in all items: a mean written as often as there are attempts."""
    scores: dict[tuple[str, str], list[float | None]] = {}
    for one in samples:
        if one.judge is not None:
            return False
        scores.setdefault((one.item, one.system), []).append(one.score)
    several = [values for values in scores.values() if len(values) > 1]
    return bool(several) and all(len(set(values)) == 1 for values in several)


def _judges(about: Mapping[str, Any], where: str) -> dict[str, str]:
    """The one judge of each result that was scored by one."""
    found = {}
    for entry in list_at(about.get("evaluation_results"), f"{where}: evaluation_results"):
        result = object_at(entry, f"{where}: evaluation_results")
        config = object_at(result.get("metric_config"), f"{where}: metric_config")
        scoring = object_at(config.get("llm_scoring"), f"{where}: llm_scoring")
        judges = list_at(scoring.get("judges"), f"{where}: judges")
        name = result.get("evaluation_result_id") or result.get("evaluation_name")
        if len(judges) == 1 and isinstance(name, str):
            model = object_at(object_at(judges[0], f"{where}: judges").get("model_info"), f"{where}: model_info")
            found[name] = name_at(model.get("id") or model.get("name"), f"{where}: id of a judge")
    return found


def _declared(about: Mapping[str, Any], key: str, columns: Mapping[str, str], where: str) -> tuple[str, ...]:
    """Columns that a summary of ours names under a key of its library's details."""
    library = object_at(about.get("eval_library"), f"{where}: eval_library")
    details = object_at(library.get("additional_details"), f"{where}: additional_details")
    text = details.get(key) if library.get("name") == "quorate" else None
    return tuple(columns.get(name, name) for name in str(text or "").split("\n"))


SIGHT = ('"schema_version"',)
FORMAT = Format("every-eval-ever", read_samples, claims=claims, tool=True, opens=opens)
