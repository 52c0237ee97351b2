"""promptfoo: scores of assertions on every output, in a JSON export, a download of its web page, or JSON lines."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate import caveats
from quorate.errors import InvalidData, InvalidInput
from quorate.frozen import dataclass
from quorate.table.exchange.csv_text import delimiter_of
from quorate.table.exchange.foreign.records import (
    Records,
    beside,
    chosen,
    csv_rows,
    document,
    identity,
    list_at,
    name_at,
    number_at,
    numbered,
    object_at,
    objects,
    refuse_lacking,
    shown,
    unread,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb

VERSIONS = (2, 3)
"""Versions of the results that are read."""
GRADED = frozenset(
    (
        *("llm-rubric", "agent-rubric", "search-rubric", "g-eval", "factuality", "answer-relevance", "select-best"),
        *("model-graded-closedqa", "model-graded-factuality", "conversation-relevance", "trajectory:goal-success"),
        *("context-faithfulness", "context-recall", "context-relevance"),
    )
)
"""Types of assertions that ask a model; ``not-`` before one turns it round."""
_HEADER = frozenset(("Status", "Score", "Named Scores", "Grader Reason"))
_STATUS = "Status"
_OUTPUT = frozenset(("promptIdx", "testIdx", "namedScores", "latencyMs", "cost"))
_ROW = ("promptIdx", "prompt", "provider")
_NO_ASSERTIONS = "No assertions"
"""Why an output passes of which nothing was asked."""
_UNPARSED = ("Could not extract JSON", "No output")
_MALFORMED = "produced malformed response"
_PROVIDER_FAILED = 2
_COLUMN = re.compile(r"\[([^\]]+)\] (.+)", re.DOTALL)
"""What the header of a column of outputs is: the provider and its prompt."""
_SAYS = re.compile(r"\[(PASS|FAIL|ERROR)\] ")
"""What an output begins with in such a column."""
_SAID = re.compile(r"\[?(PASS|FAIL|ERROR)\b")
"""What it begins with, or a column of how it went."""
_LONG = 60


@dataclass(frozen=True)
class Verdict:
    """What one assertion says of an output.

    Parameters
    ----------
    judge, type : str
        Who gave it, and of which type the assertion is.
    question : str
        What was asked, the same text for judges of one panel.
    score : float or None
    status : str
    """

    judge: str
    type: str
    question: str
    score: float | None
    status: str

    @property
    def graded(self) -> bool:
        """Whether a model was asked."""
        return self.type.removeprefix("not-") in GRADED


@dataclass(frozen=True)
class Output:
    """A row of the file: one answer of a system.

    Parameters
    ----------
    system, prompt : str
        Names as written; ``column`` and ``wording`` tell apart those that share one.
    column, wording, text : str
        Place among providers and prompts; the prompt's id; a hash of it as it was asked.
    description, variables : str
        Of the test; of its variables what tells them apart.
    test : int
        Its place among tests and their repeats, or the row's place where none is written.
    verdicts : tuple of Verdict
    metadata : mapping of str to str
        Of the test.
    cached : bool
        Whether it comes from the cache.
    """

    system: str
    prompt: str
    column: str
    wording: str
    text: str
    description: str
    variables: str
    test: int
    verdicts: tuple[Verdict, ...]
    metadata: Mapping[str, str]
    cached: bool


def claims(glance: Glance) -> bool:
    """Whether it is an export of an evaluation, the lines of one, or its CSV."""
    results = glance.record.get("results")
    whole = isinstance(results, dict) and "version" in results and bool({"timestamp", "prompts"} & results.keys())
    return whole or _is_output(glance) or _HEADER.issubset(glance.header) or bool(_outputs_in(glance))


def _outputs_in(glance: Glance) -> dict[int, tuple[str, str]]:
    """Columns of outputs in a table of all, by their place: the provider and the prompt that their header says."""
    if _SAYS.search(glance.text) is None and not _HEADER.issubset(glance.header):
        return {}
    found = ((place, _COLUMN.fullmatch(name)) for place, name in enumerate(glance.header))
    return {place: (name[1], name[2]) for place, name in found if name is not None}


def _is_output(glance: Glance) -> bool:
    """Whether it is a line with a graded output, which may be so long that the beginning does not show all of it."""
    return "gradingResult" in glance.record and not _OUTPUT.isdisjoint(glance.record)


def read_outputs(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each assertion on each output.

    Parameters
    ----------
    part : str, optional
        The assertions that are read, by their metric, grader or type. Without it those that ask a model, if all ask
        the same.

    Raises
    ------
    InvalidData
        If the file is not what promptfoo writes.
    InvalidInput
        If it is the CSV, or models are asked several questions and none is named.
    """
    glance = Glance(path)
    table = _outputs_in(glance)
    if table:
        return _of_table(connection, path, table)
    if _HEADER.issubset(glance.header):
        raise InvalidInput(
            f"source: {path} is promptfoo's CSV, and no column names a provider; export the evaluation as JSON: "
            f"promptfoo export eval ID -o {path.stem}.json"
        )
    rows: Iterable[dict[str, Any]]
    if _is_output(glance):
        lines = objects(path, *_ROW, of="promptfoo since 2025")
        rows, repeat, source = (row for _, row in lines), None, "promptfoo JSON lines"
    else:
        rows, repeat, source = _export(path)
    outputs = [_output(row, place, f"{path}: result {place + 1}") for place, row in enumerate(rows)]
    outputs = _with_prompts(outputs)
    judges = _judges(part, outputs)
    columns = beside((key for output in outputs for key in output.metadata), "metadata")
    records = Records("item", "system", "judge", "prompt", "replicate", "score", "status", *columns.values())
    for output, roles in zip(outputs, _roles(outputs, repeat), strict=True):
        held = {columns[key]: value for key, value in output.metadata.items() if key in columns}
        for verdict in output.verdicts:
            if verdict.judge in judges:
                records.add(**roles, judge=verdict.judge, score=verdict.score, status=verdict.status, **held)
    copies = _copies(outputs)
    said = [caveats.cached_answers(copies, len(outputs))] if copies else []
    return records.opened(connection, "scores", caveats=said, notes=_notes(source, outputs, judges))


def _of_table(connection: duckdb.DuckDBPyConnection, path: Path, columns: Mapping[int, tuple[str, str]]) -> Opened:
    """Whether each output passed, of a table with a row for each test; what stands in its other columns is the item.

    An output begins with it, or a column behind it says so, beside scores that are rounded and 0.00 for a grader that
    failed, which are not read.
    """
    delimiter = delimiter_of(path, Glance(path).text)
    header, *lines = csv_rows(path, partial(csv.reader, delimiter=delimiter, strict=True))
    prompts = {prompt for _, prompt in columns.values()}
    said_at = {place: header.index(_STATUS, place) if _STATUS in header[place:] else place for place in columns}
    before = min(columns) if _STATUS in header else len(header)  # behind an output stands how it was graded
    apart = [place for place in range(before) if place not in columns]
    records = Records("item", "system", "prompt", "score", "status")
    for number, line in enumerate(filter(None, lines), 2):
        item = " ".join(line[place] for place in apart if place < len(line)) or str(number)
        for place, (system, prompt) in columns.items():
            said = _SAID.match(line[said_at[place]]) if said_at[place] < len(line) else None
            if said is None:
                raise InvalidData(f"{path}: row {number}: no PASS, FAIL or ERROR of an output")
            score = None if said[1] == "ERROR" else float(said[1] == "PASS")
            wording = {"prompt": prompt if len(prompt) <= _LONG else identity(prompt)} if len(prompts) > 1 else {}
            records.add(item=item, system=system, score=score, status="error" if score is None else "ok", **wording)
    return records.opened(connection, "scores", notes=[Note("promptfoo's table: 1 where an output passed, else 0")])


def _export(path: Path) -> tuple[list[dict[str, Any]], int | None, str]:
    """The rows of an export, how often each test was repeated, if it says so, and what it is."""
    whole = object_at(document(path, "export it as lines: promptfoo export eval ID -o out.jsonl"), str(path))
    results = object_at(whole.get("results"), f"{path}: results")
    if results.get("version") not in VERSIONS:
        raise InvalidData(
            f"{path}: results have version {shown(results.get('version'))}; read are 2 and 3 (promptfoo since 2024)"
        )
    listed = enumerate(list_at(results.get("results"), f"{path}: results.results"), 1)
    rows = [object_at(row, f"{path}: result {number}") for number, row in listed]
    for number, row in enumerate(rows, 1):
        refuse_lacking(row, _ROW[1:], f"{path}: result {number}", "promptfoo since 2024")
    options = whole.get("runtimeOptions")
    repeat = options.get("repeat") if isinstance(options, dict) else None
    version = object_at(whole.get("metadata"), f"{path}: metadata").get("promptfooVersion")
    source = f"promptfoo {version}" if isinstance(version, str) else "promptfoo"
    known = isinstance(repeat, int) and repeat > 0 and all(isinstance(row.get("testIdx"), int) for row in rows)
    return rows, repeat if known else None, f"{source}, results version {results['version']}"


def _output(row: Mapping[str, Any], place: int, where: str) -> Output:
    test = object_at(row.get("testCase"), f"{where}: testCase")
    prompt = object_at(row["prompt"], f"{where}: prompt")
    variables = object_at(row.get("vars") or test.get("vars"), f"{where}: vars")
    description, index = test.get("description"), row.get("testIdx")
    metadata = object_at(test.get("metadata"), f"{where}: testCase.metadata")
    response = row.get("response")
    return Output(
        system=name_at(_named(row["provider"]), f"{where}: provider"),
        prompt=name_at(prompt.get("label") or prompt.get("raw"), f"{where}: prompt.label"),
        column=str(row.get("promptIdx", "")),
        wording=str(row.get("promptId", "")),
        text=identity(str(prompt["raw"])) if prompt.get("raw") else "",
        description=name_at(description, f"{where}: description") if description else "",
        variables=_identity({key: value for key, value in variables.items() if key[:1] != "_"}),
        test=index if isinstance(index, int) else place,
        verdicts=tuple(_verdicts(row, test, where)),
        metadata={key: str(value) for key, value in metadata.items() if isinstance(value, (str, int, float))},
        cached=isinstance(response, dict) and response.get("cached") is True,
    )


def _verdicts(row: Mapping[str, Any], test: Mapping[str, Any], where: str) -> Iterator[Verdict]:
    """What every assertion says; one that is asked for and not there has no score."""
    grading = object_at(row.get("gradingResult"), f"{where}: gradingResult")
    results = list(_parts(list_at(grading.get("componentResults"), f"{where}: componentResults"), where))
    asked = list(_asked(list_at(test.get("assert"), f"{where}: testCase.assert"), where))
    named = object_at(grading.get("namedScores"), f"{where}: namedScores") if not results else {}
    metrics = [name_at(one["metric"], f"{where}: metric") if one.get("metric") else "" for one in asked]
    if {*metrics} == named.keys() != set():  # all that is written of its parts
        results = [{"assertion": one, "score": named[name]} for one, name in zip(asked, metrics, strict=True)]
    elif not (results or asked) and "score" in grading and grading.get("reason") != _NO_ASSERTIONS:
        results = [grading]  # without its parts
    assertions = [
        object_at(one.get("assertion"), f"{where}: assertion")
        or (asked[place] if len(asked) == len(results) else {"type": "an assertion that is not named"})
        for place, one in enumerate(results)
    ]
    options = object_at(test.get("options"), f"{where}: testCase.options")
    names = _names(assertions, options.get("provider"), where)
    for name, assertion, result in zip(names, assertions, results, strict=True):
        score, status = _score(result, f"{where}: score of {name}")
        yield Verdict(name, _type(assertion), _question(assertion), score, status)
    failed = row.get("failureReason") == _PROVIDER_FAILED or (not results and bool(row.get("error")))
    for name, assertion in zip(_names(asked, options.get("provider"), where), asked, strict=True):
        if name not in names:
            yield Verdict(name, _type(assertion), _question(assertion), None, "error" if failed else "ok")


def _parts(results: Sequence[Any], where: str) -> Iterator[dict[str, Any]]:
    """Results of single assertions: a set of them is no judgment, and repeats its parts behind itself."""
    place = 0
    while place < len(results):
        result = object_at(results[place], f"{where}: componentResults")
        inner = list_at(result.get("componentResults"), f"{where}: componentResults")
        repeated = [_said(one) for one in results[place + 1 : place + 1 + len(inner)]] == [_said(one) for one in inner]
        place += 1 + (len(inner) if repeated else 0)
        own = object_at(result.get("assertion"), f"{where}: assertion")
        if inner and own.get("type", "assert-set") == "assert-set":
            yield from _parts(inner, where)
        else:
            yield result


def _said(result: Any) -> object:
    return (result.get("score"), result.get("reason")) if isinstance(result, dict) else result


def _asked(assertions: Iterable[Any], where: str) -> Iterator[dict[str, Any]]:
    """The single assertions of a test."""
    for one in assertions:
        assertion = object_at(one, f"{where}: testCase.assert")
        if assertion.get("type") == "assert-set":
            yield from _asked(list_at(assertion.get("assert"), f"{where}: assert-set"), where)
        else:
            yield assertion


def _names(assertions: Iterable[Mapping[str, Any]], grader: object, where: str) -> list[str]:
    """Who judges by each assertion: its metric, else its grader, else its type; repeated names are counted."""
    names = []
    for assertion in assertions:
        asked = assertion.get("provider") or (grader if _type(assertion).removeprefix("not-") in GRADED else None)
        found = assertion.get("metric") or _named(asked) or _type(assertion)
        names.append(name_at(found, f"{where}: the metric, grader or type of an assertion"))
    return numbered(names)


def _named(provider: object) -> object:
    """The name of a provider, which may be given by its id alone, or by kind of call."""
    if not isinstance(provider, dict):
        return provider
    return provider.get("label") or provider.get("id") or _named(provider.get("text"))


def _type(assertion: Mapping[str, Any]) -> str:
    return str(assertion.get("type", ""))


def _question(assertion: Mapping[str, Any]) -> str:
    return _identity([_type(assertion), assertion.get("value"), assertion.get("rubricPrompt")])


def _identity(value: object) -> str:
    return identity(json.dumps(value, sort_keys=True))


def _score(result: Mapping[str, Any], where: str) -> tuple[float | None, str]:
    """The score, and none of a grader that failed, for which 0 is written."""
    metadata, reason = object_at(result.get("metadata"), f"{where}: metadata"), str(result.get("reason"))
    unparsed = reason.startswith(_UNPARSED) or _MALFORMED in reason
    if metadata.get("graderError") is True:
        return None, "unparsed" if unparsed else "error"
    score = number_at(result.get("score"), where)
    if unparsed and score == 0 and "graderError" not in metadata:  # versions without the mark
        return None, "unparsed"
    return score, "ok"


def _judges(part: str | None, outputs: Iterable[Output]) -> frozenset[str]:
    """Names of the judges that are read."""
    found: dict[str, list[float | None]] = {}
    types: dict[str, dict[str, list[float | None]]] = {}
    graded: dict[str, list[float | None]] = {}
    panels: list[frozenset[str]] = []
    for output in outputs:
        asked: dict[str, set[str]] = defaultdict(set)
        for verdict in output.verdicts:
            scores = found.setdefault(verdict.judge, [])
            scores.append(verdict.score)
            types.setdefault(verdict.type, {})[verdict.judge] = scores
            if verdict.graded:
                graded[verdict.judge] = scores
                asked[verdict.question].add(verdict.judge)
        for one in {frozenset(names) for names in asked.values()}.difference(panels):
            touching = [panel for panel in panels if panel & one]
            panels = [*(panel for panel in panels if panel not in touching), one.union(*touching)]
    if not found:
        raise InvalidData("source: no output has an assertion; there is no score in it")
    if part is None and len(panels) == 1:
        return frozenset(graded)
    if part is None:
        return frozenset(chosen(None, {**graded, **found}, "assertion"))
    offered = {**{name: [one for scores in of.values() for one in scores] for name, of in types.items()}, **found}
    named = chosen(part, offered, "assertion")
    return frozenset(judge for name in named for judge in ((name,) if name in found else types[name]))


def _with_prompts(outputs: Sequence[Output]) -> list[Output]:
    """Outputs without ids of prompts that say nothing: one text by its name and test, of one id for each provider."""
    texts, ids = (defaultdict[Any, set[str]](set) for _ in range(2))
    for output in outputs:
        test = (output.prompt, output.description, output.variables)
        texts[test].add(output.text)
        ids[(*test, output.system)].add(output.wording)
    told = {output.prompt for output in outputs if not output.text}
    told |= {prompt for (prompt, *_), held in (*texts.items(), *ids.items()) if len(held) > 1}
    return [output if output.prompt in told else replace(output, wording="") for output in outputs]


def _roles(outputs: Sequence[Output], repeat: int | None) -> Iterator[dict[str, str]]:
    """Item, system, prompt and replicate of every output, with names that are shared told apart."""
    tests = [output.test // repeat if repeat else None for output in outputs]
    wordings, columns, items, sharing = (defaultdict[Any, dict[Any, None]](dict) for _ in range(4))
    for output, test in zip(outputs, tests, strict=True):
        wordings[output.prompt][output.wording] = None
        columns[output.system, output.prompt, output.wording][output.column] = None
        items[output.description][output.variables] = None
        sharing[output.description, output.variables][test] = None
    seen: dict[Any, int] = defaultdict(int)
    replicates: dict[int, int] = {}
    for place in sorted(range(len(outputs)), key=lambda place: outputs[place].test):
        output = outputs[place]
        key = (output.system, output.column, output.prompt, output.wording, output.description, output.variables)
        replicates[place] = output.test % repeat if repeat else seen[key]
        seen[key] += 1
    for place, (output, test) in enumerate(zip(outputs, tests, strict=True)):
        known = output.description and len(items[output.description]) == 1
        item = output.description if known else f"{output.description} {output.variables}".strip()
        tests_alike = list(sharing[output.description, output.variables])
        prompt = output.prompt if len(output.prompt) <= _LONG else identity(output.prompt)
        alike = sorted(columns[output.system, output.prompt, output.wording])
        yield {
            "item": item if len(tests_alike) == 1 else f"{item} (test {test})",
            "system": output.system + (f" ({alike.index(output.column) + 1})" if output.column != alike[0] else ""),
            "prompt": prompt if len(wordings[output.prompt]) == 1 else f"{prompt} ({output.wording[:8]})",
            "replicate": str(replicates[place]),
        }


def _copies(outputs: Iterable[Output]) -> int:
    """Answers that the cache gave again, where all repeats of a test are such; 0 where there are no repeats."""
    groups: dict[Any, list[bool]] = defaultdict(list)
    for output in outputs:
        groups[output.system, output.column, output.prompt, output.description, output.variables].append(output.cached)
    repeated = [group for group in groups.values() if len(group) > 1]
    return sum(len(group) for group in repeated if sum(group) >= len(group) - 1)


def _notes(source: str, outputs: Sequence[Output], judges: frozenset[str]) -> list[Note]:
    verdicts = [verdict for output in outputs for verdict in output.verdicts]
    left = list(dict.fromkeys(verdict.judge for verdict in verdicts if verdict.judge not in judges))
    failed = sum(verdict.judge in judges and verdict.status != "ok" for verdict in verdicts)
    notes = [Note(f"{source}: {len(outputs):,} outputs; a row is the score of one assertion, not whether it passed")]
    notes += [Note(f"{failed:,} judgments that failed have no score, whatever is written there")] if failed else []
    return [*notes, *unread(left)]


SIGHT = ('"results"', "gradingResult", "Grader Reason", "[PASS] ", "[FAIL] ")
FORMAT = Format("promptfoo", read_outputs, claims=claims, tool=True, holds=lambda _: "scores")
