"""`quorate assign`: the calls of a layout as a table that can be carried out, and which battles to ask about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import options
from quorate.cli.console import console, heading, points, say, table, whole
from quorate.cli.options import command, names, of, option, pairs
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.table.exchange.encoding import ordinary

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.planning.assignment import Assignment


MOST_ROWS = 6
MOST_JUDGES = 12


@dataclass(frozen=True, kw_only=True)
class Items(options.Group):
    """What is to be judged."""

    items: str = option(
        "FILE|N",
        "What is to be judged: a .txt file with one label per line, a table (CSV, TSV, JSON lines, Parquet) "
        "with one row per item, or a number of items.",
        default=MISSING,
    )
    item_column: str | None = option("COLUMN", "Column of the items. Default: recognised by its name.")
    category: str | None = option("COLUMN", "Column of their categories; every judge gets its part of each.")

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
            rows = file.only(wanted.values()).fetchall()
        columns: list[list[object]] = [
            [one if one is None or type(one) is str else label(one) for one in column]
            for column in (map(itemgetter(at), rows) for at in range(len(wanted)))
        ]
        return columns[0], columns[1] if self.category and rows else None


@dataclass(frozen=True, kw_only=True)
class Asked(options.Group):
    """Who is asked, and with what words."""

    judges: str | None = option("NAMES|N", "Who judges, with commas, names that have one in quotes; or how many.")
    prompts: str | None = option("NAMES|N", "Prompt variants, with commas; or how many.")
    levels: list[str] | None = option(
        "ROLE=NAMES", "Any other facet, crossed, such as temperature=0,1; repeat for each."
    )

    def arguments(self) -> dict[str, object]:
        """As `quorate.assign` takes them."""
        levels = pairs("--levels", self.levels, "temperature=0,1")
        return {
            "judges": named("judge", self.judges),
            "prompts": named("prompt", self.prompts),
            "levels": {name: names(text) for name, text in levels.items()},
        }


@command
def assign(
    items: Items,
    asked: Asked,
    own: Annotated[options.Declared, of("quorate.planning.assign:assign", "order")],
    calls: Path | None = option(
        "FILE", "Where the calls are written: .csv, .tsv, .jsonl or .parquet.", "--out", writable=True
    ),
    *,
    out: options.Output,
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


def named(role: str, text: str | None) -> tuple[str, ...]:
    """Names with commas between them, or so many that are numbered."""
    many = (text or "").strip()
    if not (many.isascii() and many.isdigit()):
        return names(text)
    if len(many) > 4:
        raise InvalidInput(f"--{role}s: at most 9,999 are numbered, got {many}; name them, with commas")
    return tuple(f"{role}-{place}" for place in range(1, int(many) + 1))


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


Battles = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", writable=True, help="Where the battles are written: .csv, .tsv, .jsonl or .parquet."
    ),
]


@command
def next_battles(
    file: options.VotesFile,
    own: Annotated[options.Declared, of("quorate.planning.battles:next_battles", n="--number", systems="--system")],
    chosen: Battles = None,
    *,
    reading: options.VoteReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Which pairs of systems to ask about next.

    Pairs whose votes make the ratings precise get more of them, each by a chance that is written beside it: keep the
    column propensity with the votes, and quorate rank weights by it.
    """
    import numpy as np

    from quorate.table.cells import writable, write_columns

    if chosen is not None:
        writable(chosen, "--out")
    votes = reading.votes(file)
    found = own(votes)
    if chosen is not None:
        write_columns({name: np.array(values, dtype=object) for name, values in found.battles().items()}, chosen)
    out.show(found, files, votes, seed=own.value("seed"), written=None if chosen is None else str(chosen))
    return 0


@dataclass(frozen=True, kw_only=True)
class Pool(options.Group):
    """The columns of a pool of battles."""

    model_a: str = option("COLUMN", "Column of the first model.", default="model_a")
    model_b: str = option("COLUMN", "Column of the second model.", default="model_b")
    category: str | None = option("COLUMN", "Column of what a battle is about. Default: none.")

    def read(self, path: Path) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Every column of the pool, and those that are named here as `quorate.votes.sample_battles` takes them."""
        from quorate.table.files import opened

        with opened(path) as file:
            wanted = {"model_a": self.model_a, "model_b": self.model_b, "category": self.category}
            for option, name in wanted.items():
                if name is not None and name not in file.columns:
                    raise UnknownColumn(f"--{option.replace('_', '-')}", name, file.columns)
            rows = file.relation.fetchall()
            columns = dict(zip(file.columns, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
        if not columns:
            raise InvalidInput(f"POOL: {path} has no battles")
        return columns, {option: columns[name] for option, name in wanted.items() if name is not None}


@command
def sample_battles(
    pool: Annotated[
        Path,
        typer.Argument(
            metavar="POOL", help="CSV, TSV, JSON lines or Parquet; one row per battle that could be judged."
        ),
    ],
    floor: Annotated[int, typer.Option(metavar="N", min=1, help="Battles wanted for every system in every category.")],
    chosen: Battles = None,
    seed: Annotated[int, options.SEED] = 1,
    *,
    named: Pool,
    files: options.Files,
    out: options.Output,
) -> int:
    """Which battles to have judged.

    As few as give every system enough in every category, in the order in which they help. Ends with exit code 2 if the
    pool has too few for some system.
    """
    import numpy as np

    from quorate.planning.battles import sample_battles as sampled
    from quorate.table.cells import writable, write_columns

    if chosen is not None:
        writable(chosen, "--out")
    columns, battles = named.read(pool)
    found = sampled(**battles, floor=floor, seed=seed)
    order = found.chosen.tolist()
    if chosen is not None:
        write_columns({name: np.array(values, dtype=object)[order] for name, values in columns.items()}, chosen)
    out.show(found, files, seed=seed, written=None if chosen is None else str(chosen))
    if not out.as_json:
        unwritten = "Nothing is written; --out battles.csv writes the battles."
        whole(console(), f"Written: {chosen}" if chosen else unwritten)
    return 2 if found.short else 0
