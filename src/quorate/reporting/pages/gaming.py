"""Gaming: the page on what submitting many times and reporting the best is worth."""

from __future__ import annotations

import math

from quorate.analysis.words import cut, significant
from quorate.decide.gaming import Gaming
from quorate.numerics.reach import maximum_moments
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, OTHERS, SEQUENTIAL, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.table.results import picked
from quorate.wording import at_level, capitalised, counted, listed, whole_percent

ATTEMPTS = (2, 3, 5, 10, 20, 27, 50, 100, 200, 500, 1000)
_SHORT = 60
_ROOM = 1.25
"""Of an axis, for words beside the longest bar."""
_LINES = (CORRECTED, "#D55E00", "#009E73", "#CC79A7", *OTHERS)
MOST_LINES = len(_LINES)


def page(gaming: Gaming, table: Table | None = None) -> Page:
    """The page on what gaming is worth."""
    drawn = any(math.isfinite(prize.low) for prize in gaming.prizes)  # of components without a fit there are none
    redrawn = " ".join(gaming.redrawn) or "nothing"
    surface, changes = grid(gaming), mitigation(gaming)
    without = "The data leave the effect of every change to the first design open."
    return Page.of(
        gaming,
        table,
        "What gaming is worth",
        sections=(
            Section(
                "prizes",
                "What the best of many attempts gains",
                figures=(prizes(gaming),) if surface is None else (prizes(gaming), surface),
            ),
            Section("mitigation", "What makes it smaller", (without,))
            if changes is None
            else Section("mitigation", "What makes it smaller", figures=(changes,)),
            Section("attempts", "How often it is tried", figures=(attempts(gaming),)),
        ),
        facts=played(gaming),
        methods=methods(gaming, drawn),
        tiles=tiles(gaming),
        options=f"k {gaming.k}, level {gaming.level:g}, scale {gaming.scale}, redrawn {redrawn}",
    )


def prizes(gaming: Gaming) -> Figure:
    """The prize of every design, with its interval where there is one; which design leaves least to gain."""
    rows: list[Row] = [
        picked(prize, "design=label calls=projection.calls price=projection.cost se prize=value")
        | {"low": _known(prize.low), "high": _known(prize.high)}
        for prize in gaming.prizes
    ]
    first, least = gaming.prizes[0], min(gaming.prizes, key=lambda prize: prize.value)
    finding = (
        f"The best of {gaming.k:,} attempts stands {_amount(gaming, first.value)} above the truth with "
        f"{cut(first.label, _SHORT)}"
    )
    if least is not first:
        finding += f", {_amount(gaming, least.value)} with {cut(least.label, _SHORT)}"
    level = at_level(gaming.level)
    lines = [f"Expected height of the best of {counted(gaming.k, 'attempt')} above the truth, {unit(gaming)}."]
    if marks.known(rows, "low") or marks.known(rows, "high"):
        lines.append(
            f"Lines: {level} intervals, from the components that the data make plausible. An arrow: it goes on."
        )
    drawn = [_without(row, "price") for row in rows[: marks.MOST_ROWS]]
    window = marks.from_zero([row["prize"] for row in drawn], [row["high"] for row in marks.known(drawn, "high")])
    heads = Short.titles("design", "calls", se="SE", prize="prize", low=f"{at_level(gaming.level)} interval")
    caption = Caption(finding, tuple(lines))
    titles = {"se": "standard error of one attempt", "low": f"low, {level}", "high": f"high, {level}"}
    titles |= {"calls": "judgments", "price": "price, USD"}
    title = f"prize, {unit(gaming)}"
    return marks.dotted(
        "prizes", caption, rows, heads, title, titles=titles, unfolded=True, drawn=drawn, window=window, tall=30
    )


def grid(gaming: Gaming) -> Figure | None:
    """The surface: the prize by prompts and judges; None where designs are no grid of the two."""
    rows: list[Row] = [
        {"prompts": design["prompt"], "judges": design["judge"], "prize": one.value, "calls": one.projection.calls}
        for one in gaming.prizes
        if {"prompt", "judge"} <= (design := one.projection.design).keys()
    ]
    cells = {(row["prompts"], row["judges"]) for row in rows}
    across, down = {prompts for prompts, _ in cells}, {judges for _, judges in cells}
    whole = len(cells) == len(rows) == len(gaming.prizes) == len(across) * len(down)
    if not whole or min(len(across), len(down)) < 2:
        return None
    most, least = (pick(gaming.prizes, key=lambda one: one.value) for pick in (max, min))
    saved = whole_percent(1 - least.value / most.value) if most.value > 0 else "nothing"
    finding = f"{cut(least.label, _SHORT)} leave {saved} less to gain than {cut(most.label, _SHORT)}"
    line = f"Expected height of the best of {counted(gaming.k, 'attempt')} above the truth, {unit(gaming)}"

    def chart() -> Spec:
        low, high = min(row["prize"] for row in rows), max(row["prize"] for row in rows)
        written = [{**row, "text": significant(row["prize"])} for row in rows]
        heads = {"labelAngle": 0, "grid": False, "ticks": False, "domain": False}
        x = channel("prompts:O", title="prompts", axis=heads)
        y = channel("judges:O", title="judges", axis={"ticks": False, "domain": False})
        scale = {"domain": [low, high], "range": list(SEQUENTIAL), "nice": False, "zero": False}
        base = marks.chart(marks.readable(written, "prize", scale), y, step=44).encode(x=x)
        box = base.mark("rect", stroke=INK, strokeOpacity=0.2, cornerRadius=3)
        filled = box.encode(color=channel("prize:Q", scale=scale, legend=None))
        words = base.mark("text", fontSize=13).encode(text="text:N", color=marks.own_ink())
        return marks.finish([filled, words])

    return Figure("surface", Caption(finding, (f"{line}; darker: more to gain.",)), rows, chart, {"calls": "judgments"})


def mitigation(gaming: Gaming) -> Figure | None:
    """Changes to the first design, those that buy most for what they cost first; None where none is known."""
    if not gaming.mitigation:
        return None
    first = gaming.prizes[0]
    rows: list[Row] = [
        picked(one, "change=label prize=value reduction")
        | {
            "share": one.reduction / first.value if first.value > 0 else math.nan,
            "more_calls": one.more_calls,
            "more_cost": one.more_cost,
        }
        for one in gaming.mitigation
    ]
    finding = "No change that the data tell about takes anything away"
    buys = [one for one in gaming.mitigation if one.reduction > 0]
    if buys:
        for_ = f"for {counted(buys[0].more_calls, 'more call')}" if buys[0].more_calls > 0 else "for no more calls"
        finding = f"{cut(buys[0].label, _SHORT)} takes away {_amount(gaming, buys[0].reduction)} {for_}"
    lines = (
        f"Changes to {cut(first.label, _SHORT)}: those that take away most for what they cost come first.",
        f"Prize that is left, {unit(gaming)}; dashed: without a change.",
    )

    def chart() -> Spec:
        window = (0.0, _ROOM * max(first.value, *(row["prize"] for row in rows)) or 1.0)
        x = marks.axis("prize", f"prize that is left, {unit(gaming)}", window)
        more = [f"+{row['more_calls']:,} calls" if row["more_calls"] > 0 else "no more calls" for row in rows]
        drawn = [{**_without(row, "more_cost"), "text": text} for row, text in zip(rows, more, strict=True)]
        base = marks.chart(drawn, marks.labels("change"), step=30)
        bar = base.mark("bar", color=CORRECTED, opacity=0.8, height={"band": 0.55}).encode(x=x)
        text = base.mark("text", align="left", dx=6, color=INK, fontSize=11).encode(x=x, text="text:N")
        return marks.finish([bar, text, marks.line_at(first.value, x)])

    caption = Caption(f"{capitalised(finding)}", lines)
    heads = Short.titles(
        "change", prize="prize left", share="taken away", more_calls="more calls", more_cost="more USD"
    )
    titles = {"prize": "prize that is left", "reduction": "taken away", "share": "of the prize"}
    titles |= {"more_calls": "more judgments", "more_cost": "more to pay, USD"}
    return Figure.of("mitigation", caption, rows, heads, chart, titles=titles, unfolded=True, percent="share")


def attempts(gaming: Gaming) -> Figure:
    """The prize of every design for other numbers of attempts."""
    counts = sorted({*ATTEMPTS, gaming.k} - {1})
    means = maximum_moments(counts)[0].tolist()
    rows: list[Row] = [
        {"design": prize.label, "attempts": k, "prize": mean * prize.se}
        for prize in gaming.prizes
        for k, mean in zip(counts, means, strict=True)
    ]
    so_many = counted(gaming.k, "attempt")
    finding = f"Trying more often pays ever less: {_amount(gaming, gaming.prizes[0].value)} for {so_many}"
    line = f"Expected height of the best attempt above the truth, {unit(gaming)}; dashed: {so_many}."

    def chart() -> Spec:
        styles = {prize.label: (colour, marks.SOLID) for prize, colour in zip(gaming.prizes, _LINES, strict=False)}
        ticks = {"values": [2, 5, 10, 20, 50, 100, 200, 500, 1000], "format": "~s", "grid": False}
        log = {"type": "log", "nice": False}
        x = channel("attempts:Q", title="attempts (log scale)", scale=log, axis=ticks)
        y = channel("prize:Q", title=f"prize, {unit(gaming)}", axis={"grid": True, "tickCount": 5})
        tips = "design attempts:, prize:.4~r"
        layers = marks.curves([row for row in rows if row["design"] in styles], x, y, styles, tips, dots=30, columns=2)
        return marks.finish([*layers, *([marks.line_at(gaming.k, x)] if gaming.k > 1 else [])], height=320)

    lines = (line, "Attempts are equally good and their errors independent: an upper bound.")
    return Figure("attempts", Caption(finding, lines), rows, chart)


def played(gaming: Gaming) -> Figure:
    """What the prizes rest on."""
    values = {"attempts": gaming.k, "largest of so many standard normals, on average": f"{gaming.expected:.6f}"}
    values |= {"differs between attempts": ", ".join(gaming.redrawn) or "replicates only"}
    values |= {"unit of prizes": unit(gaming), "designs": len(gaming.prizes)}
    finding = f"What is played: {counted(gaming.k, 'attempt')}, the best is reported"
    return particulars("played", finding, values)


def unit(gaming: Gaming) -> str:
    """What prizes are counted in."""
    return "Elo points" if gaming.scale == "elo" else "score units"


def methods(gaming: Gaming, drawn: bool) -> str:
    """The paragraph for a methods section."""
    level = at_level(gaming.level)
    sure = f" Intervals ({level}) are from a parametric bootstrap of the variance components." if drawn else ""
    elo = f" A unit of score is {gaming.slope:.4g} Elo points." if gaming.scale == "elo" else ""
    return (
        f"The prize for submitting {gaming.k:,} times and reporting the best is the standard error of one attempt "
        f"times the mean of the largest of {gaming.k:,} standard normals, {gaming.expected:.4f} (by quadrature). What "
        f"differs between attempts: {listed(gaming.redrawn or ['replicates only'])}.{elo} Attempts are taken as "
        f"equally good with independent normal errors, which makes the prize an upper bound (Messing, 2026).{sure}"
    )


def tiles(gaming: Gaming) -> tuple[Tile, ...]:
    """The few numbers at the top: each with what it is."""
    first, least = gaming.prizes[0], min(gaming.prizes, key=lambda prize: prize.value)
    numbers = [Tile(significant(first.value), f"{unit(gaming)} to gain with {cut(first.label, _SHORT)}")]
    if least is not first:
        numbers.append(Tile(significant(least.value), f"with {cut(least.label, _SHORT)}"))
    buys = [one for one in gaming.mitigation if one.reduction > 0]
    if buys:
        calls = counted(buys[0].more_calls, "more call") if buys[0].more_calls > 0 else "no more calls"
        share = whole_percent(buys[0].reduction / first.value)
        numbers.append(Tile(f"-{share}", f"by {cut(buys[0].label, _SHORT)}, for {calls}"))
    return tuple(numbers)


def _amount(gaming: Gaming, value: float) -> str:
    return f"{significant(value)}{' Elo' if gaming.scale == 'elo' else ''}"


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _without(row: Row, name: str) -> Row:
    """The row without what is not known of it."""
    return {key: value for key, value in row.items() if key != name or value is not None}
