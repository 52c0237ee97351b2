"""HELM: a run's folder, with a statistic for each instance, or what its judges said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate import caveats
from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.table.exchange.foreign.records import (
    Records,
    chosen,
    document,
    list_at,
    name_at,
    name_or_none,
    number_at,
    object_at,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


_SPEC, _STATS, _STATE = "run_spec.json", "per_instance_stats.json", "scenario_state.json"
_WAY_OUT = "run fewer instances at a time"
_VERDICTS = ("_score", "_equivalence_judgement")
"""Ends of the keys under which a judge's verdict stands, behind the judge's name."""
_UNASKED = "empty_output"
"""What stands in a judge's place where the model answered nothing, and no judge was asked."""
_NO_RATING = re.compile(
    r"num_|finish_reason_|training_|inference_|batch_size$|prompt_truncated$|max_prob$|logprob|perplexity|bits_per_byte"
    r"|.*(_tokens|_bytes|_runtime|_cost|_success)$"
)
"""Statistics of the run, not of the answer; they are read only if they are named."""


@dataclass(frozen=True)
class Unit:
    """One request to the model: what was asked, how it was put, and with which examples.

    Parameters
    ----------
    item : str
        Id of the instance.
    prompt : str
        The perturbation, ``original`` without one.
    replicate : str, optional
        Which draw of examples.
    split : str, optional
        ``valid`` or ``test``.
    """

    item: str
    prompt: str
    replicate: str | None
    split: str | None


Scores = dict[Unit, list[tuple[str | None, float | None, str]]]
"""Judge, score and status of every judgment, by what was judged."""


def claims(glance: Glance) -> bool:
    """Whether a folder holds a run with statistics, or a file is such statistics."""
    return {_SPEC, _STATS} <= glance.names or (glance.array and {"instance_id", "stats"} <= glance.record.keys())


def read_run(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """A row for each instance with a statistic, or for each judge of one.

    Parameters
    ----------
    connection : DuckDBPyConnection
        That shows the rows.
    path : Path
        The folder of a run, or its statistics.
    part : str, optional
        A statistic, or a criterion of judges.

    Raises
    ------
    InvalidInput
        If there are several and none is named.
    UnknownTerm
        If there is none of this name.
    InvalidData
        If the files are not those of a run.
    """
    folder = path if path.is_dir() else path.parent
    spec = object_at(document(folder / _SPEC, _WAY_OUT), f"{folder / _SPEC}") if (folder / _SPEC).is_file() else {}
    adapter = object_at(spec.get("adapter_spec"), f"{folder / _SPEC}: adapter_spec")
    statistics = _statistics(folder / _STATS if path.is_dir() else path)
    judged = _judged(folder / _STATE) if (folder / _STATE).is_file() else {}
    every = {**statistics, **judged}
    if part is None:  # a statistic of a run with judges is a mean over them
        names = judged or {name: one for name, one in statistics.items() if not _NO_RATING.match(name)} or statistics
        every = {name: every[name] for name in names}
    if not every:
        raise InvalidData(f"{path}: holds no statistic of an instance")
    wanted = chosen(
        part,
        {name: [score for row in found.values() for _, score, _ in row] for name, found in every.items()},
        "metric",
    )
    units = {unit for name in wanted for unit in every[name]}
    test = any(unit.split == "test" for unit in units)  # any other split does not count beside it
    left = {unit for unit in units if test and unit.split != "test"}
    rows = Records("item", "system", "category", "prompt", "replicate", "judge", "metric", "score", "status")
    system, scenario = adapter.get("model") or adapter.get("model_deployment"), _scenario(spec.get("name"))
    for name in wanted:
        for unit, judgments in every[name].items():
            if unit in left:
                continue
            for judge, score, status in judgments:
                rows.add(
                    item=unit.item,
                    system=name_or_none(system, f"{folder / _SPEC}: model"),
                    category=scenario,
                    prompt=unit.prompt,
                    replicate=unit.replicate,
                    judge=judge,
                    metric=name if len(wanted) > 1 else None,
                    score=score,
                    status=status,
                )
    notes = [Note(f"score = {'judges of' if wanted[0] in judged else 'statistic'} {', '.join(wanted)}")]
    notes += (
        [Note(f"{counted(len(left), 'instance')} of the split {next(iter(left)).split} left out: only test counts")]
        if left
        else []
    )
    notes += [Note("no run_spec.json beside it: the model is not known")] if not spec else []
    averaged = judged and any(name in statistics for name in wanted)
    said = [caveats.averages_of_judges(wanted, judged)] if averaged else []
    return rows.opened(connection, "scores", facets=("metric",), notes=notes, caveats=said, nested={"item": "category"})


def _statistics(path: Path) -> dict[str, Scores]:
    """Every statistic of every instance, by its name; one that was not counted has no score."""
    found: dict[str, Scores] = {}
    units: dict[Unit, None] = {}
    for place, record in enumerate(list_at(document(path, _WAY_OUT), f"{path}"), 1):
        where = f"{path}: record {place}"
        if not isinstance(record, dict) or "instance_id" not in record:
            raise InvalidData(f"{where} has no instance_id")
        values: dict[str, float | None] = {}
        split = None
        for one in list_at(record.get("stats"), f"{where}: stats"):
            stat = object_at(one, f"{where}: stats")
            name = object_at(stat.get("name"), f"{where}: name of a statistic")
            label = name_at(name.get("name"), f"{where}: name of a statistic")
            split = name.get("split", split) if isinstance(name.get("split", split), str) else split
            count = number_at(stat.get("count"), f"{where}: count of {label}")
            values.setdefault(label, number_at(stat.get("mean"), f"{where}: mean of {label}") if count else None)
        unit = _unit(where, record, record["instance_id"], split)
        units[unit] = None
        for label, value in values.items():
            found.setdefault(label, {})[unit] = [(None, value, "ok")]
    return {label: {unit: scores.get(unit, [(None, None, "ok")]) for unit in units} for label, scores in found.items()}


def _judged(path: Path) -> dict[str, Scores]:
    """What judges said of every request, by criterion; a judge who said nothing of one has no score there."""
    found: dict[str, Scores] = {}
    judges: dict[str, dict[str | None, None]] = {}
    units: dict[Unit, None] = {}
    state = object_at(document(path, _WAY_OUT), f"{path}")
    for place, one in enumerate(list_at(state.get("request_states"), f"{path}: request_states"), 1):
        where = f"{path}: request {place}"
        request = object_at(one, where)
        instance = object_at(request.get("instance"), f"{where}: instance")
        annotations = object_at(request.get("annotations"), f"{where}: annotations")
        if not annotations:
            continue
        split = instance.get("split")
        inside = {**request, "perturbation": instance.get("perturbation")}
        unit = _unit(where, inside, instance.get("id"), split if isinstance(split, str) else None)
        units[unit] = None
        for annotator, annotation in annotations.items():
            for name, judge, score in _said(where, annotator, annotation):
                status = "unparsed" if score is None else "ok"
                found.setdefault(name, {}).setdefault(unit, []).append((judge, score, status))
                judges.setdefault(name, {})[judge] = None
    for name, scores in found.items():
        for unit in units:
            there = scores.setdefault(unit, [])
            missing = [judge for judge in judges[name] if judge not in {one for one, *_ in there}]
            there += [(judge, None, "ok") for judge in missing]
    return found


def _said(where: str, annotator: str, annotation: Any) -> Iterator[tuple[str, str | None, float | None]]:
    """Criterion, judge and score of an annotation; None where a judge's reply was not understood."""
    if not isinstance(annotation, dict):
        return
    for key, value in annotation.items():
        what = f"{where}: {annotator}.{key}"
        if key == "score":
            yield annotator, annotator, number_at(value, what)
        elif (ending := next((one for one in _VERDICTS if key.endswith(one)), None)) is not None:
            judge = key.removesuffix(ending)
            if judge and judge != _UNASKED:
                yield annotator, judge, number_at(value, what, truths=True)
        elif isinstance(value, dict):
            for criterion, said in value.items():
                if isinstance(said, dict) and "score" in said:
                    yield f"{annotator}.{criterion}", key, number_at(said["score"], f"{what}.{criterion}")


def _unit(where: str, record: Mapping[str, Any], instance: Any, split: str | None) -> Unit:
    perturbation = object_at(record.get("perturbation"), f"{where}: perturbation").get("name")
    return Unit(
        name_at(instance, f"{where}: id of the instance"),
        name_or_none(perturbation, f"{where}: perturbation") or "original",
        name_or_none(record.get("train_trial_index"), f"{where}: train_trial_index"),
        split,
    )


def _scenario(name: Any) -> str | None:
    """What was run, from the name of the run, without which model ran it."""
    if not isinstance(name, str) or not name.strip():
        return None
    scenario, _, settings = name.partition(":")
    kept = [one for one in settings.split(",") if one and not one.startswith(("model=", "model_deployment="))]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


SIGHT = ("per_instance_stats", "instance_id")
FORMAT = Format("helm", read_run, claims=claims, tool=True)
