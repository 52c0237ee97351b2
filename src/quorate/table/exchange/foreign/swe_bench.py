"""SWE-bench: reports of runs, which list the instances that were submitted and those that were resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.roles import SYSTEM
from quorate.table.exchange.foreign.records import Records, columns_of, document, list_at, name_at, no_parts
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted, words

if TYPE_CHECKING:
    import duckdb


_SUBMITTED, _RESOLVED = "submitted_ids", "resolved_ids"
_UNRESOLVED = ("unresolved_ids", "empty_patch_ids", "error_ids")
_LISTS = (_SUBMITTED, "completed_ids", _RESOLVED, *_UNRESOLVED)
"""Lists of instances that were submitted; some versions write no list of all of them."""
_ALSO = {
    **dict.fromkeys(words("resolved solved passed passed_ids solved_ids"), _RESOLVED),
    **dict.fromkeys(words("unresolved unsolved failed unsolved_ids failed_ids"), _UNRESOLVED[0]),
    **dict.fromkeys(words("error errors errored timeout timeouts timed_out"), _UNRESOLVED[-1]),
}
"""What tools that write such reports call these lists, where they hold names."""
_BESIDE = ("submitted_instances", "resolved_instances", "completed_ids", "total_instances")
"""Keys of which a report has several before its long lists."""


def claims(glance: Glance) -> bool:
    """Whether it is one object of the lists of a report, or of several such objects, or a list of them."""
    first = next(iter(glance.record.values()), None)
    return (not glance.array and _is_report(glance.record)) or (
        _is_report(glance.record if glance.array else first) and _name_in(glance.record, glance.array) is not None
    )


def _is_report(held: Any) -> bool:
    if not isinstance(held, dict):
        return False
    keys = held.keys()
    counted = len(keys & {*_BESIDE}) >= 2
    told = _RESOLVED in keys and bool(keys & {_SUBMITTED, "completed_ids", *_UNRESOLVED})
    return counted or told or _of_outcomes(held).keys() >= {_RESOLVED, _UNRESOLVED[0]}


def _of_outcomes(report: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The lists of names that are called by an outcome, as SWE-bench calls them, if no name is in two."""
    lists: dict[str, list[Any]] = {}
    for key, name in _ALSO.items():
        if isinstance(report.get(key), list):
            lists[name] = [*lists.get(name, ()), *report[key]]
    names = [one for held in lists.values() for one in held]
    plainly = all(isinstance(one, str) for one in names) and len({*names}) == len(names)
    return lists if plainly else {}


def _name_in(report: Mapping[str, Any], array: bool) -> str | None:
    """The key that names the system of a report in a list; none is needed where the keys of reports do."""
    named = [key for key, column in columns_of(report, "scores").items() if column == SYSTEM]
    return next(iter(named), None) if array else ""


def _read_reports(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each instance that was submitted: 1 if it was resolved, 0 also where its patch was empty or failed.

    Raises
    ------
    InvalidData
        If the file is no such reports, or one contradicts itself.
    InvalidInput
        If a part is named.
    """
    no_parts(part, path)
    records, left = Records("item", "system", "score"), 0
    for system, report, where in _reports(path):
        resolved, submitted = _outcomes(report, where)
        for instance in submitted:
            records.add(item=instance, system=system, score=float(instance in resolved))
        left += len(report.get("incomplete_ids") or ())
    notes = [Note("SWE-bench: score = 1 where an instance that was submitted is resolved")]
    notes += [Note(f"{counted(left, 'instance')} not submitted: left out")] if left else []
    return records.opened(connection, "scores", notes=notes)


def _reports(path: Path) -> Iterable[tuple[str | None, Mapping[str, Any], str]]:
    """Every report of a file, the system that it names, and where it stands."""
    held = document(path, "name the reports of the runs")
    if isinstance(held, dict) and not _is_report(held):
        reports = [(key, value, f"{path}: {key}") for key, value in held.items() if _is_report(value)]
        if not reports:
            raise InvalidData(f'{path}: has no "{_RESOLVED}", which SWE-bench writes')
        return reports
    if not isinstance(held, list):
        return [(None, held, f"{path}:")]
    numbered = [(f"{path}: record {number}", one) for number, one in enumerate(held, 1)]
    strange = next((where for where, one in numbered if not (_is_report(one) and _name_in(one, True))), None)
    if strange is not None:
        raise InvalidData(f"{strange} is no report of SWE-bench that names its system")
    return [(name_at(one[_name_in(one, True)], where), one, where) for where, one in numbered]


def _outcomes(report: Mapping[str, Any], where: str) -> tuple[set[str], list[str]]:
    """The instances that were resolved, and all that were submitted.

    Raises
    ------
    InvalidData
        If lists are missing, or do not agree.
    """
    report = {**_of_outcomes(report), **report}
    if _RESOLVED not in report:
        raise InvalidData(f'{where} has no "{_RESOLVED}", which SWE-bench writes')
    lists = {
        name: [name_at(one, f"{where} {name}") for one in list_at(report[name], f"{where} {name}")]
        for name in _LISTS
        if name in report
    }
    resolved = {*lists[_RESOLVED]}
    failed = {instance for name in _UNRESOLVED for instance in lists.get(name, ())}
    submitted = [*dict.fromkeys(lists.get(_SUBMITTED) or (one for held in lists.values() for one in held))]
    for instance in sorted(resolved - {*submitted}):
        raise InvalidData(f"{where} {instance} is resolved and not submitted")
    for instance in sorted(resolved & failed):
        raise InvalidData(f"{where} {instance} is among the resolved and among the others")
    said = report.get("submitted_instances")
    if isinstance(said, int) and said > len(submitted):
        raise InvalidData(f"{where} lists {len(submitted):,} of {said:,} instances that were submitted")
    if lists.keys() == {_RESOLVED} or not submitted:
        raise InvalidData(f"{where} " + ("does not list what was submitted" if resolved else "nothing was submitted"))
    return resolved, submitted


SIGHT = ('"submitted_', '"resolved', '"solved', '"passed', '"total_instances"')
FORMAT = Format("swe-bench", _read_reports, claims=claims, tool=True, holds=lambda _: "scores")
