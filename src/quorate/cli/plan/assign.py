"""`quorate assign`: the calls of a layout as a table that can be carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import heading, points, say, table, whole
from quorate.cli.options import Declared, Group, Output, command, names, of, pairs
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.exchange.encoding import ordinary

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.planning.assignment import Assignment

OWN = of("quorate.planning.assign:assign", "order")
MOST_ROWS = 6
MOST_JUDGES = 12


@dataclass(frozen=True, kw_only=True)
class Items(Group):
    """What is to be judged."""

    items: Annotated[
        str,
        typer.Option(
            metavar="FILE|N",
            help="What is to be judged: a .txt file with one label per line, a table (CSV, TSV, JSON lines, Parquet) "
            "with one row per item, or a number of items.",
        ),
    ]
    item_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the items. Default: recognised by its name.")
    ] = None
    category: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of their categories; every judge gets its part of each."),
    ] = None

    def read(self) -> tuple[int | Sequence[object], list[object] | None]:
        """A number of items, or their labels and categories from a file."""
        path, text = Path(self.items), self.items.strip()
        lines = path.suffix.lower() == ".txt"
        number = not lines and text.isascii() and text.lstrip("+-").isdigit()
        if not lines and not number:
            return self.columns(path)
        if self.item_column or self.category:
            raise InvalidInput(f"--item-column, --category: need a table of items, and {self.items} has no columns")
        if number:
            return int(text) if len(text) < 20 else 10**20, None
        try:
            return [line for line in ordinary(path).read_text(encoding="utf-8-sig").splitlines() if line.strip()], None
        except OSError as error:
            raise InvalidInput(f"--items: {path} cannot be read ({error.strerror})") from None
        except UnicodeDecodeError:
            raise InvalidInput(f"--items: {path} is not UTF-8 text; save it as UTF-8") from None

    def columns(self, path: Path) -> tuple[Sequence[object], list[object] | None]:
        """Columns of a table: the item, declared or the only one that its name says it of, and the category."""
        from quorate.table.columns.labels import label
        from quorate.table.columns.roles import recognise
        from quorate.table.exchange.format import quoted
        from quorate.table.files import opened

        with opened(path) as file:
            several = len(file.columns) > 1
            claims = [name for name in file.columns if recognise([name], ["item"])] if several else file.columns
            if not self.item_column and len(claims) != 1:
                listed = ", ".join(f'"{name}"' for name in (claims or file.columns)[:20])
                raise InvalidInput(f"--items: which column of {path} names the items ({listed})? Say --item-column")
            wanted = {"--item-column": self.item_column or claims[0]}
            wanted |= {"--category": self.category} if self.category else {}
            for option, name in wanted.items():
                if name not in file.columns:
                    raise UnknownColumn(option, name, file.columns)
            places = [quoted(file.relation.columns[file.columns.index(name)]) for name in wanted.values()]
            rows = file.relation.project(", ".join(places)).fetchall()
        columns: list[list[object]] = [
            [one if one is None else label(one) for one in column] for column in zip(*rows, strict=True)
        ]
        return (columns or [[]])[0], columns[1] if self.category and columns else None


@dataclass(frozen=True, kw_only=True)
class Asked(Group):
    """Who is asked, and with what words."""

    judges: Annotated[str | None, typer.Option(metavar="NAMES", help="Who judges, with commas.")] = None
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A judge, commas and all; repeat for each.", show_default=False),
    ] = None
    prompts: Annotated[str | None, typer.Option(metavar="NAMES", help="Prompt variants, with commas.")] = None
    prompt: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A prompt variant, commas and all; repeat for each.")
    ] = None
    levels: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAMES", help="Any other facet, crossed, such as temperature=0,1; repeat for each."),
    ] = None

    def arguments(self) -> dict[str, object]:
        """As `quorate.assign` takes them."""
        levels = pairs("--levels", self.levels, "temperature=0,1")
        return {
            "judges": named("--judges", self.judges, self.judge),
            "prompts": named("--prompts", self.prompts, self.prompt),
            "levels": {name: names(text) for name, text in levels.items()},
        }


@command
def assign(
    items: Items,
    asked: Asked,
    own: Annotated[Declared, OWN],
    calls: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", writable=True, help="Where the calls are written: .csv, .tsv, .jsonl or .parquet."
        ),
    ] = None,
    *,
    out: Output,
) -> int:
    """Which judge scores which item, as a table of calls.

    Everything is shuffled, by the seed, so that what does not divide evenly falls on a random few. Says what the
    judgments will not be able to tell apart, and the small crossed pilot that would.
    """
    from quorate.table.cells import writable

    if calls is not None:
        writable(calls, "--out")
    labels, categories = items.read()
    plan = own(items=labels, categories=categories, **asked.arguments())
    written = None if calls is None else plan.write(calls)
    made: dict[str, Any] = {"written": None if written is None else str(written)}
    if written is None:
        made["cells"] = {name: plan.column(name).tolist() for name in plan.columns}
    out.typeset(plan, lambda console, plan: show(console, plan, written), **made)
    return 0


def named(option: str, text: str | None, repeated: list[str] | None) -> tuple[str, ...]:
    """Names with commas, or one by one."""
    if text is not None and repeated:
        raise InvalidInput(f"{option}: give names with commas, or {option.removesuffix('s')} for each, not both")
    return names(text) if text is not None else tuple(repeated or ())


def show(out: Console, plan: Assignment, written: Path | None) -> None:
    """Print how calls are laid out and shared, what they will not tell apart, and the first of them."""
    from quorate.wording import counted

    say(out, plan.sentence, style="bold")
    calls = plan.calls("judge")
    shares = ", ".join(f"{judge} {count:,}" for judge, count in sorted(calls.items()))
    if len(calls) > MOST_JUDGES:
        shares = f"{min(calls.values()):,} to {max(calls.values()):,}"
    fix = "in a plain mean that leaves a bias, in the mean that quorate analyze reports it does not"
    say(out, f"Calls per judge: {shares}.{f' {plan.imbalance}: {fix}.' if plan.imbalance else ''}")
    if plan.pilot:
        say(out, f"Pilot: judged in every combination, and first: {counted(plan.pilot, 'item')}.")
    facts = plan.to_dict()
    if facts["not_estimable"]:
        heading(out, "What these judgments will not tell apart")
        points(out, map(in_options, facts["not_estimable"]))
        if facts["completion"] is not None and plan.aliasing.completion is not None:
            say(out, f"  {in_options(plan.aliasing.completion.sentence)}")
    if written is not None:
        out.print()
        whole(out, f"Written: {written}")
        return
    heading(out, f"The first of {len(plan):,} calls (--out calls.csv writes them all)")
    labels = [plan.levels[name] for name in plan.levels]
    rows = [
        (*(levels[code] for levels, code in zip(labels, codes, strict=True)), f"{replicate}")
        for codes, replicate in zip(plan.codes[:MOST_ROWS].tolist(), plan.replicate[:MOST_ROWS].tolist(), strict=True)
    ]
    table(out, dict.fromkeys(plan.columns, "left"), rows)
