"""`quorate assign`: the calls of a layout as a table that can be carried out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import reading
from quorate.cli.console import console, heading, points, print_json, say, table, whole
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput, NotEstimable

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.plan.assignment import Assignment

MOST_ROWS = 6
MOST_JUDGES = 12
Items = Annotated[
    str,
    typer.Option(
        metavar="FILE|N",
        help="What is to be judged: a .txt file with one label per line, a table (CSV, TSV, JSON lines, Parquet) with "
        "one row per item, or a number of items.",
    ),
]
Judges = Annotated[str | None, typer.Option(metavar="NAMES", help="Who judges, with commas.")]
Judge = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A judge, commas and all; repeat for each.", show_default=False)
]
Prompts = Annotated[str | None, typer.Option(metavar="NAMES", help="Prompt variants, with commas.")]
Prompt = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A prompt variant, commas and all; repeat for each.")
]
Layout = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="factorial, everything crossed; random, one judge per item at random; cyclic, in turn; weighted, in turn "
        "with --places; latin, one (prompt, judge) pair per item in turn; blocks, --per-item judges per item.",
    ),
]
PerItem = Annotated[
    int | None, typer.Option(metavar="K", help="Judges per item, with the layout blocks; pairs, with latin.")
]
Places = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=N,...", help="Places of every judge in the cycle, such as gpt=4,small=1; may repeat."),
]
Generations = Annotated[
    int | None, typer.Option(metavar="M", help="Responses of every item; judges take turns by responses.")
]
Replicates = Annotated[int, typer.Option(metavar="R", help="Calls per cell.")]
Levels = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE=NAMES", help="Any other facet, crossed, such as temperature=0,1; repeat for each."),
]
ItemColumn = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of the items. Default: recognised by its name.")
]
Category = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of their categories; every judge gets its part of each.")
]
Pilot = Annotated[
    int, typer.Option(metavar="N", help="Items that every judge judges with every prompt, twice: the crossed pilot.")
]
Seed = Annotated[int, typer.Option(metavar="SEED", help="What is shuffled follows from it.")]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where the calls are written: .csv, .tsv, .jsonl or .parquet.")
]


def assign(
    items: Items,
    judges: Judges = None,
    judge: Judge = None,
    prompts: Prompts = None,
    prompt: Prompt = None,
    layout: Layout = "latin",
    per_item: PerItem = None,
    places: Places = None,
    generations: Generations = None,
    replicates: Replicates = 1,
    levels: Levels = None,
    item_column: ItemColumn = None,
    category: Category = None,
    pilot: Pilot = 0,
    seed: Seed = 1,
    out: Out = None,
    as_json: reading.Json = False,
    _debug: reading.Debug = False,
) -> int:
    """Which judge scores which item, as a table of calls.

    Everything is shuffled, by the seed, so that what does not divide evenly falls on a random few. Says what the
    judgments will not be able to tell apart, and the small crossed pilot that would.
    """
    from quorate.plan.assign import assign as assigned
    from quorate.table.cells import writable

    if out is not None:
        writable(out, "--out")
        if out.exists() and Path(items).exists() and out.samefile(items):
            raise InvalidInput(f"--out: {out} is the file of items; choose another name")
    found, group = _items(items, item_column, category)
    plan = assigned(
        items=found,
        categories=group,
        judges=_names("--judges", judges, judge),
        prompts=_names("--prompts", prompts, prompt),
        layout=layout,  # type: ignore[arg-type]  # checked there
        seed=seed,
        per_item=per_item,
        places=_places(places),
        generations=generations,
        replicates=replicates,
        levels={
            name: reading.names(text) for name, text in reading.pairs("--levels", levels, "temperature=0,1").items()
        },
        pilot=pilot,
    )
    written = None if out is None else plan.write(out)
    if as_json:
        print_json(_content(plan, written))
    else:
        _show(plan, written)
    return 0


def _items(source: str, column: str | None, category: str | None) -> tuple[int | Sequence[object], list[object] | None]:
    """A number of items, or their labels and categories from a file."""
    path, text = Path(source), source.strip()
    is_table = path.suffix.lower() != ".txt" and not (text.isascii() and text.lstrip("+-").isdigit())
    if not is_table and (column or category):
        raise InvalidInput(f"--item-column, --category: need a table of items, and {source} has no columns")
    if path.suffix.lower() == ".txt":
        return _lines(path), None
    if is_table:
        return _table(path, column, category)
    return int(text) if len(text) < 20 else 10**20, None


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InvalidInput(f"--items: {path} is not UTF-8 text; save it as UTF-8") from None
    return [line for line in lines if line.strip()]


def _table(path: Path, column: str | None, category: str | None) -> tuple[Sequence[object], list[object] | None]:
    """Columns of a table: the item, declared or recognised, and the category if asked for."""
    from quorate.errors import UnknownColumn
    from quorate.table.columns.labels import label
    from quorate.table.files import opened, quoted

    with opened(path) as file:
        known = column or _recognised(file.columns, path)
        wanted = {"--item-column": known, **({"--category": category} if category else {})}
        for option, name in wanted.items():
            if name not in file.columns:
                raise UnknownColumn(option, name, file.columns)
        own = [quoted(file.relation.columns[file.columns.index(name)]) for name in wanted.values()]
        rows = file.relation.project(", ".join(own)).fetchall()
    columns: list[list[object]] = [
        [value if value is None else label(value) for value in values] for values in zip(*rows, strict=True)
    ]
    return (columns or [[]])[0], columns[1] if category and columns else None


def _recognised(columns: Sequence[str], path: Path) -> str:
    """The column of the items: the only one, or the only one that its name says it of."""
    from quorate.table.columns.roles import recognise

    claims = [name for name in columns if recognise([name], ["item"])] if len(columns) > 1 else columns
    if len(claims) != 1:
        listed = ", ".join(f'"{name}"' for name in (claims or columns)[:20])
        raise InvalidInput(f"--items: which column of {path} names the items ({listed})? Say --item-column")
    return claims[0]


def _names(option: str, text: str | None, repeated: Iterable[str] | None) -> tuple[str, ...]:
    """Names with commas, or one by one."""
    if text is not None and repeated:
        raise InvalidInput(f"{option}: give names with commas, or {option.removesuffix('s')} for each, not both")
    return reading.names(text) if text is not None else tuple(repeated or ())


def _places(values: list[str] | None) -> dict[str, int] | None:
    """Places by judge; a name may hold a sign of equality, and a comma if it is given on its own."""
    if not values:
        return None
    out: dict[str, int] = {}
    for value in values:
        alone = value.count("=") == 1
        for pair in [value] if alone else value.split(","):
            name, sign, count = (part.strip() for part in pair.rpartition("="))
            if not sign or not name or not (count.isascii() and count.isdigit() and len(count) < 10) or name in out:
                raise InvalidInput(
                    f'--places: expects each judge once, with a whole number, such as gpt=4; got "{pair}"'
                )
            out[name] = int(count)
    return out


def _content(plan: Assignment, written: Path | None) -> dict[str, Any]:
    """The plan as plain values; the calls themselves unless they are in a file."""
    rows = {name: plan.column(name).tolist() for name in plan.columns} if written is None else None
    return {
        "layout": plan.layout,
        "seed": plan.seed,
        "calls": len(plan),
        "calls_by_judge": plan.calls("judge"),
        "remainder": list(plan.remainder),
        "pilot_items": list(plan.pilot_items),
        **_told(plan),
        "written": None if written is None else str(written),
        **({} if rows is None else {"cells": rows}),
    }


def _told(plan: Assignment) -> dict[str, Any]:
    try:
        found = plan.aliasing
    except NotEstimable as error:
        return {"aliases": None, "not_estimable": [str(error)], "completion": None}
    pilot = None if found.completion is None else {"pilot": found.completion.items, "calls": found.completion.calls}
    aliases = [sorted(names) for names in found.aliases]
    return {"aliases": aliases, "not_estimable": list(found.sentences), "completion": pilot}


def _show(plan: Assignment, written: Path | None) -> None:
    out = console()
    say(out, _sentence(plan), style="bold")
    say(out, _shares(plan))
    if plan.pilot:
        say(out, f"Pilot: judged in every combination, and first: {_counted(plan.pilot, 'item')}.")
    _show_aliasing(out, plan)
    if written is None:
        heading(out, f"The first of {len(plan):,} calls (--out calls.csv writes them all)")
        first = plan.codes[:MOST_ROWS]
        labels = [plan.levels[name] for name in plan.levels]
        rows = [
            (*(names[code] for names, code in zip(labels, codes, strict=True)), f"{replicate}")
            for codes, replicate in zip(first.tolist(), plan.replicate[:MOST_ROWS].tolist(), strict=True)
        ]
        table(out, dict.fromkeys(plan.columns, "left"), rows)
    else:
        out.print()
        whole(out, f"Written: {written}")


def _sentence(plan: Assignment) -> str:
    sizes = {name: len(labels) for name, labels in plan.levels.items() if name != "category"}
    sizes |= {"replicate": int(plan.replicate.max())} if not plan.pilot else {}
    parts = [_counted(count, name) for name, count in sizes.items() if count > 1 or name == "item"]
    scheme = plan.scheme
    more = f", {scheme.per_item} per item" if scheme.per_item else ""
    more += f" {':'.join(map(str, scheme.places))}" if scheme.places else ""
    return f"{_counted(len(plan), 'call')}: {', '.join(parts)}; layout {plan.layout}{more}, seed {plan.seed}."


def _shares(plan: Assignment) -> str:
    """Calls per judge, and what the remainder leaves."""
    calls = plan.calls("judge")
    if len(calls) > MOST_JUDGES:
        said = f"Calls per judge: {min(calls.values()):,} to {max(calls.values()):,}."
    else:
        said = f"Calls per judge: {', '.join(f'{judge} {count:,}' for judge, count in sorted(calls.items()))}."
    return f"{said} {_uneven(plan)}".rstrip()


def _uneven(plan: Assignment) -> str:
    """What judges who are not asked equally often do to a plain mean."""
    fix = "in a plain mean that leaves a bias, in the mean that quorate analyze reports it does not"
    if plan.layout == "random":
        return f"Shares differ by chance: {fix}."
    if plan.layout == "weighted":
        return f"Judges have unequal places: {fix}."
    if plan.remainder and len(set(plan.judge_weights.values())) > 1:
        extra = f"{len(plan.remainder)} of {_counted(len(plan.judge_weights), 'judge')}"
        return f"Turns do not divide evenly: {extra}, drawn by the seed, got more; {fix}."
    return ""


def _show_aliasing(out: Console, plan: Assignment) -> None:
    told = _told(plan)
    if not told["not_estimable"]:
        return
    heading(out, "What these judgments will not tell apart")
    points(out, map(in_options, told["not_estimable"]))
    if told["completion"] is not None and plan.aliasing.completion is not None:
        option = re.sub(r"^pilot=", "--pilot ", plan.aliasing.completion.sentence)
        say(out, f"  {option}")


def _counted(count: int, name: str) -> str:
    from quorate.wording import counted

    return counted(count, name)
