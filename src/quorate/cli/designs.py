"""What the commands about designs share: where components come from, what facets stand for, designs side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.cli import reading
from quorate.cli.components_file import components_from
from quorate.cli.console import heading, say, table
from quorate.cli.parts import MOST_SOURCES, dollars

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.means.targets import Target
    from quorate.plan.designs.dstudy import Projection
    from quorate.table.judgments import Judgments

FILE_HELP = (
    "Judgments, as for analyze; or components as JSON: "
    '{"random": {"item": 0.01, ...}, "sensitivity": {"judge": 0.0005}}.'
)
TARGET_HELP = (
    "What a facet stands for: population, panel, finite, sensitivity or pool(K), such as judge=panel. "
    "Judges stand for judges like these where the judgments tell."
)


def source_of(file: Path, judgments: Callable[[], Judgments]) -> Components | Decomposition:
    """Components from a JSON file, else fitted to the judgments of any other."""
    from quorate.estimate.components.decompose import decompose

    return components_from(file) if file.suffix.lower() == ".json" else decompose(judgments())


def targets_of(source: Components | Decomposition, values: Iterable[str] | None) -> dict[str, Target]:
    """The targets asked for; judges stand for others like them where nothing else is asked and the data tell."""
    from quorate.analysis.views import views
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.means.mean import mean_for
    from quorate.estimate.means.targets import POPULATION
    from quorate.roles import JUDGE

    given = reading.pairs("--target", values, "judge=population")
    asked = {facet: _target(target) for facet, target in given.items()}
    if not isinstance(source, Decomposition) or JUDGE in asked:
        return asked
    return asked if views(source, mean_for(source, asked)).population is None else {**asked, JUDGE: POPULATION}


def _target(text: str) -> Target:
    from quorate.estimate.means.targets import pool

    found = re.fullmatch(r"pool\W?(\d+)\)?", text)
    return pool(int(found[1])) if found else text


def show_designs(out: Console, designs: Mapping[str, Projection], shares_of: str, *, priced: bool = True) -> None:
    """Print designs side by side, and where the uncertainty of one of them would come from."""
    from quorate.analysis.words import number
    from quorate.wording import decimals, plural, whole_percent

    plans = list(designs.values())
    places = 1 + max(decimals(plan.se) for plan in plans)
    rows = [(plural(name), *(f"{plan.design[name]:,}" for plan in plans)) for name in plans[-1].design]
    rows += [(plural(name), *(f"{plan.groups[name]:,}" for plan in plans)) for name in plans[-1].groups]
    rows.append(("layout", *map(layout_of, plans)))
    rows.append(("calls", *(f"{plan.calls:,}" for plan in plans)))
    if priced and any(plan.cost is not None for plan in plans):
        rows.append(("price", *(dollars(plan.cost) for plan in plans)))
    rows.append(("standard error", *(number(plan.se, places) for plan in plans)))
    rows.append(("1.96 of these", *(f"±{number(plan.half_width(), places)}" for plan in plans)))
    table(out, {"": "left", **dict.fromkeys(designs, "right")}, rows)
    heading(out, "Where its uncertainty would come from")
    shares = designs[shares_of].shares
    largest = sorted(shares, key=lambda name: -shares[name])[:MOST_SOURCES]
    entries = [(name, *(whole_percent(plan.shares[name]) for plan in plans)) for name in largest if shares[name]]
    table(out, {"source": "left", **dict.fromkeys(designs, "right")}, entries)
    show_targets(out, plans[-1])


def standard_errors(source: Components | Decomposition, targets: Mapping[str, Target]) -> float:
    """Standard errors to half a 95% interval: Student's t of the study that was fitted, else 1.96."""
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.means.mean import mean_for
    from quorate.numerics.inference import t_quantile

    if not isinstance(source, Decomposition):
        return t_quantile(float("inf"), 0.975)
    mean = mean_for(source, targets)
    return mean.half_width() / mean.se


def show_own_interval(out: Console, source: Components | Decomposition, targets: Mapping[str, Target]) -> None:
    """Say how wide the interval of the study at hand is, which 1.96 standard errors do not."""
    from quorate.analysis.words import number
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.means.mean import mean_for
    from quorate.wording import decimals

    said = "1.96 standard errors are what half a 95% interval tends to with many levels of everything."
    if isinstance(source, Decomposition):
        mean = mean_for(source, targets)
        half = number(mean.half_width(), 1 + decimals(mean.se))
        said += (
            f" The study as it is has ±{half}, {mean.half_width() / mean.se:.2f} of them; so may a plan with as few."
        )
    say(out, said)


def layout_of(plan: Projection) -> str:
    """The layout, with judges per item or places in the cycle where that is a choice."""
    if plan.places is not None:
        return f"{plan.layout} {':'.join(map(str, plan.places.values()))}"
    if plan.per_item is None:
        return plan.layout
    return f"{plan.per_item} judges each" if plan.layout == "blocks" else f"{plan.layout}, {plan.per_item} each"


def show_targets(out: Console, plan: Projection) -> None:
    """Say what the facets stand for, without which a standard error means nothing."""
    groups: dict[str, list[str]] = {}
    for facet, target in plan.targets.items():
        groups.setdefault(str(target), []).append(facet)
    out.print()
    say(out, "Facets stand for: " + "; ".join(f"{', '.join(names)} = {target}" for target, names in groups.items()))
    if plan.targets.get("judge") == "population":
        say(out, "For this panel of judges rather than judges like these: --target judge=panel")


def scope(plan: Projection) -> str:
    """For whom the numbers hold, where judges are drawn or are all that matters."""
    target = str(plan.targets.get("judge"))
    if target == "population":
        return ", for judges like these"
    return ", for this panel" if target == "panel" and plan.design.get("judge", 1) > 1 else ""
