"""Leaderboards: the page on systems in order, by votes or by scores, also at equal covariates, and how judges see."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import isnan

import numpy as np

from quorate.analysis.words import cut, distinct, drawn_share, p_value, shown
from quorate.estimate.ratings.contrast import Contrast
from quorate.estimate.ratings.fragility import Fragility
from quorate.estimate.ratings.leaderboard import Leaderboard
from quorate.estimate.ratings.moves import Moves
from quorate.estimate.ratings.ranked import POWER, ByJudges, at_once, may_be_first
from quorate.estimate.ratings.ratings import Ratings
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, NAIVE, Channel, Marks, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Step, Table, Tile, particulars
from quorate.wording import at_level, capitalised, counted, listed, percent, plural


def _own_section(found: Ratings | Leaderboard) -> Section | None:
    """Slopes of judges and ties of systems; None where neither was asked for."""
    if not isinstance(found, Ratings) or not (found.slopes or found.tie_rates):
        return None
    figures, titles = [], []
    if found.slopes:
        titles.append(f"slopes of {plural(str(found.discrimination))}")
        words = "slope on the difference of the ratings, 1 on average"
        figures.append(rates("slopes", str(found.discrimination), found.slopes, found.level, words, 1.0))
    if found.tie_rates:
        titles.append("ties of every system")
        words = "parameter of ties, about the mean of all"
        figures.append(rates("ties-by-system", "system", found.tie_rates, found.level, words))
    return Section("own", capitalised(listed(titles)), tuple(own_words(found)), tuple(figures))


def own_words(found: Ratings) -> Iterator[str]:
    """Who tells systems apart the most and the least sharply, and which systems tie so; only what was asked."""
    if found.slopes:
        most, least = (_end(found.slopes, found.level, False, end) for end in (max, min))
        yield f"Slopes on the difference of two systems: {most} is the steepest, {least} the flattest."
    if found.tie_rates:
        factor = "the threshold less its mean" if found.ties != "davidson" else "odds over their mean"
        most, least = (_end(found.tie_rates, found.level, found.ties == "davidson", end) for end in (max, min))
        yield f"Ties the most readily: {most}, the least: {least} ({factor})."


def _end(rates: Mapping[str, Contrast], level: float, factor: bool, end: Callable[..., str]) -> str:
    """The level that has the most or the least, with its interval; as a factor of the mean if these are logs."""
    name = end(rates, key=lambda one: rates[one].value)
    value, low, high = (np.exp(x) if factor else x for x in (rates[name].value, *rates[name].at(level).ends))
    return f"{shown(name, 30)} {value:.2f} ({low:.2f} to {high:.2f})"


def effect_words(found: Ratings) -> Iterator[str]:
    """What having more of each covariate does, a sentence each."""
    for (name, one), unit in zip(found.coefficients.items(), found.units, strict=True):
        value, span = _wins(found, one)
        yield f"{capitalised(name)}: between equals, the one with {unit:.3g} more wins {value} ({span})."


def position_words(found: Ratings | Leaderboard) -> str:
    """What being shown first does, in a sentence; empty where no effect of it was estimated."""
    if not isinstance(found, Ratings) or found.position is None:
        return ""
    value, span = _wins(found, found.position)
    votes = "all votes, ties as half" if found.ties == "half" else "decisive votes"
    return f"Between equals, the system shown first wins {value} of {votes} ({span})."


def _wins(found: Ratings, effect: Contrast) -> tuple[str, str]:
    """Share that an effect lets one of two equals win, and how sure that is."""
    value, low, high = (percent(found.share(one)) for one in (effect.value, *effect.at(found.level).ends))
    sure = f"{found.model.unit} {effect.value:.2f}, {p_value(effect.p_value)}"
    return value, f"{at_level(found.level)} interval {low} to {high}; {sure}"


def rates(name: str, of: str, found: Mapping[str, Contrast], level: float, words: str, mean: float = 0.0) -> Figure:
    """A number for every level, the largest first, with intervals for each."""
    best = sorted(found, key=lambda one: -found[one].value)
    rows: list[Row] = []
    for one, label in zip(best, distinct(best), strict=True):
        low, high = found[one].at(level).ends
        rows.append({"level": label, "value": found[one].value, "se": found[one].se, "low": low, "high": high})
    sure = [row["low"] > mean or row["high"] < mean for row in rows]
    apart = sum(sure)
    finding = f"{counted(apart, of)} of {len(rows):,} surely {'differs' if apart == 1 else 'differ'} from the mean"
    span = at_level(level)

    def chart() -> Spec:
        first = rows[:MOST_DRAWN]
        colours = [CORRECTED if certain else NAIVE for certain in sure[:MOST_DRAWN]]
        return marks.dots(first, "level", "value", words, colours, tall=20, thickness=2)

    heads = {"level": of, "value": words, "se": "standard error", "low": f"low, {span}", "high": f"high, {span}"}
    return Figure(name, Caption(finding, (f"The {words}, with {span} intervals for each.",)), rows, chart, heads)


def _moves_section(found: Ratings | Leaderboard) -> Section | None:
    """What a board at equal covariates says of them; None for one without."""
    if not isinstance(found, Ratings) or found.moves is None:
        return None
    named = listed(found.covariates)
    said = (found.moves.sentence, *effect_words(found))
    return Section("moves", f"At equal {named}", said, (coefficients(found), moved(found.moves, found.measure)))


def coefficients(found: Ratings) -> Figure:
    """What having more of each covariate does to the log odds of winning."""
    rows: list[Row] = []
    for (name, one), unit in zip(found.coefficients.items(), found.units, strict=True):
        low, high = one.at(found.level).ends
        rows.append({"covariate": name, "unit": unit, "value": one.value, "se": one.se, "low": low, "high": high})
    helps, hurts = (
        [row["covariate"] for row in rows if row[end] * sign > 0] for end, sign in (("low", 1), ("high", -1))
    )
    parts = [f"more {listed(names)} {word}" for names, word in ((helps, "helps"), (hurts, "hurts")) if names]
    finding = capitalised(listed(parts)) if parts else "None of the covariates surely matters"
    line = f"{capitalised(found.model.unit)} for one unit, the root mean square of the differences between the two."
    level = at_level(found.level)
    heads = {"value": found.model.unit, "se": "standard error", "low": f"low, {level}", "high": f"high, {level}"}
    return Figure("coefficients", Caption(finding, (line,)), rows, headers=heads, unfolded=True)


def moved(moves: Moves, unit: str) -> Figure:
    """How far each system moves, with intervals in which what both ratings share has cancelled."""
    rows: list[Row] = [{**row, "system": name} for row, name in zip(moves.rows(), distinct(moves.systems), strict=True)]
    low, high = moves.intervals.T
    sure, level = int(((low > 0) | (high < 0)).sum()), f"{at_level(moves.level)}"
    placed = sum(row["place"] != row["place_before"] for row in rows)
    finding = f"{counted(sure, 'system')} of {len(rows):,} surely {'moves' if sure == 1 else 'move'}, "
    finding += f"and {counted(placed, 'system')} {'changes' if placed == 1 else 'change'} place"
    line = f"Rating at equal {listed(moves.covariates)} less the rating by the same votes without, with {level} "
    lines = [f"{line}intervals for each: the error that both ratings share has cancelled."]
    lines += [f"The first {MOST_DRAWN} are drawn; the table has all."] * (len(rows) > MOST_DRAWN)

    def chart() -> Spec:
        first = rows[:MOST_DRAWN]
        colours = [CORRECTED if row["low"] > 0 or row["high"] < 0 else NAIVE for row in first]
        return marks.dots(first, "system", "move", unit, colours, tall=20, thickness=2)

    heads = {"place_before": "place without", "before": "rating without", "se": "standard error"}
    heads |= {"low": f"low, {level}", "high": f"high, {level}"}
    return Figure("moves", Caption(finding, tuple(lines)), rows, chart, heads)


MOST_DRAWN = 120
"""Systems of a chart; the table under it has all."""
MOST_IN_GRID = 80
MOST_PAIRS = 2000
"""Pairs in a table; the JSON has every rank interval."""
_SHORT = 40
_SHADE = 0.07
_LAWS = {
    "model": "Intervals take the model for true",
    "sandwich": "Intervals are sandwich intervals and take votes as independent",
    "bootstrap": "Intervals are percentiles of refits of resampled votes",
}


def page(found: Ratings | Leaderboard, table: Table | None = None) -> Page:
    """The page of a leaderboard."""
    order = [ranks(found), *([groups(found)] if len(found.groups) > 1 else [])]
    if found.told_apart and len(found) <= MOST_IN_GRID:
        order.append(pairs(found))
    if isinstance(found, Ratings) and found.neighbours:
        order.append(neighbours(found))
    leader = cut(distinct(found.systems)[0], _SHORT)
    chance, first = drawn_share(next(iter(found.best.values()))), len(may_be_first(found))
    judges = None if isinstance(found, Ratings) else found.by_judges
    unbeaten = len(found.unbeaten)
    opinion = "" if isinstance(found, Ratings) else found.opinion
    said = tuple(line for line in (judges and judges.sentence, opinion) if line)
    order += [] if judges is None else [_without_judges(judges)]
    few = found.fragility if isinstance(found, Ratings) else None
    left_out = () if few is None else (_left_out_votes(few), *([_left_out_rows(few)] if few.dropped_rows else []))
    further = [one for one in (_moves_section(found), _own_section(found)) if one is not None]
    fragile = Section("fragility", "How few votes decide who is first", (found.fragile_words,), left_out)
    return Page.of(
        found,
        table,
        "Leaderboard from votes" if isinstance(found, Ratings) else "Leaderboard from scores",
        sentence=" ".join(line for line in (found.sentence, position_words(found)) if line),
        sections=(
            Section("leaderboard", "The leaderboard", said, (leaderboard(found),)),
            Section("ranks", "How sure the order is", tuple(filter(None, (found.neighbours_words,))), tuple(order)),
            *further,
            *([fragile] if found.fragile_words else []),
        ),
        facts=ranked(found),
        methods=methods(found),
        tiles=(
            Tile(f"{first}", f"of {counted(len(found) + unbeaten, 'system')} may be first, {at_once(found)}"),
            *([] if unbeaten else [Tile(chance, f"chance that {leader} is the best of these")]),
            Tile(f"{found.told_apart:,}", f"of {counted(found.n_pairs, 'pair')} told apart"),
        ),
        options=options(found),
        next_step=_of_two(found),
        seed=found.seed,
    )


def _of_two(found: Ratings | Leaderboard) -> Step | None:
    """The command that says what would decide which of two is better."""
    if found.told_apart or len(found) != len("ab") or (isinstance(found, Ratings) and found.margin is None):
        return None
    return Step("Next: what would decide it.", shlex.join(["quorate", "compare", "FILE", *found.systems]))


def _without_rating(found: Ratings | Leaderboard) -> list[Row]:
    """A row for every system that never lost, above all that have a rating: none says by how much."""
    if not isinstance(found, Ratings):
        return []
    last = {one.system: len(found.unbeaten) for one in found.surely_above}
    everyone = len(found) + len(found.unbeaten)
    return [
        {"rank": _rank_range(1, last.get(one.system, everyone)), "group": 1, "system": cut(one.system, _SHORT)}
        | dict.fromkeys(("rating", "se", "low", "high", "share"))
        for one in found.unbeaten
    ]


def leaderboard(found: Ratings | Leaderboard) -> Figure:
    """One row per system, best first, drawn with intervals, groups between cuts as bands, and ranks on the right."""
    level = at_level(found.level)
    ends = zip(found.ranks.low.tolist(), found.ranks.high.tolist(), strict=True)
    numbers = zip(found.rating.tolist(), found.se.tolist(), *found.intervals.T.tolist(), strict=True)
    columns = zip(ends, found.group.tolist(), distinct(found.systems), numbers, found.best.values(), strict=True)
    rated: list[Row] = [
        {"rank": _rank_range(*places), "group": group, "system": name, "rating": rating, "se": se}
        | {"low": low, "high": high, "share": best}
        for places, group, name, (rating, se, low, high), best in columns
    ]
    rows = _without_rating(found) + rated
    size = f"{counted(len(found), 'system')}, {counted(found.n, found.counted_by)}"
    about = " about the mean of all systems" if isinstance(found, Ratings) else ""
    lines = [f"{capitalised(found.measure)}{about}, with {level} intervals for each; {size}."]
    lines.append(f"Right: the ranks that a system may have, {at_once(found)}.")
    if len(found.groups) > 1:
        lines.append("Shaded and plain bands: cuts of the order; all of a band are surely better than all below it.")
    if len(found) > MOST_DRAWN:
        lines.append(f"The first {MOST_DRAWN} are drawn; the table has all.")

    def chart() -> Spec:
        first = rated[:MOST_DRAWN]
        window = marks.around(first, "rating")
        colour = CORRECTED if found.rankable else NAIVE
        drawn = [{**marks.drawn(row, window, colour), "side": row["group"] % 2 * _SHADE} for row in first]
        x = marks.axis("rating", found.measure, window, len(first))
        base = marks.chart(drawn, _systems(len(first)), step=_step(len(first)))
        bands = base.mark("rect", color=INK, height={"band": 1}).encode(opacity=channel("side:Q", scale=None))
        right = {"expr": "width + 10"}
        text = base.mark("text", align="left", x=right, color=INK, fontSize=_size(len(first))).encode(text="rank:N")
        head = Marks([{"text": "rank"}])
        named = head.mark("text", align="left", x=right, y=-8, color=INK, opacity=0.7, fontSize=11).encode(
            text="text:N"
        )
        shaded = [bands] if len(found.groups) > 1 else []
        return marks.finish([*shaded, *marks.intervals(drawn, base, x, thickness=2), text, named])

    titles = {"rating": found.measure, "se": "standard error", "low": f"low, {level}", "high": f"high, {level}"}
    titles["share"] = "probability of being best"
    unit = ("Elo" if "Elo" in found.measure else "rating") if isinstance(found, Ratings) else "mean"
    cuts = {"group": "group"} if len(found.groups) > 1 else {}
    heads = {"rank": "rank", **cuts, "system": "system", "rating": unit, "low": f"{level} interval", "share": "best"}
    caption, few = Caption(_first(found), tuple(lines)), len(rows) <= MOST_DRAWN
    return Figure.of(
        "leaderboard", caption, rows, heads, chart, titles=titles, unfolded=few, of="rating", percent="share"
    )


def ranks(found: Ratings | Leaderboard) -> Figure:
    """Ranks of every system, at once and of a system chosen beforehand; how many are sure."""
    own, rated = found.ranks, len(found)
    above = len(found.unbeaten)
    most = max(rated + above, int(own.high.max()))
    columns = (own.low, own.high, own.marginal_low, own.marginal_high)
    keys = ("low", "high", "own_low", "own_high")
    names = distinct(found.systems)
    values = zip(names, *(column.tolist() for column in columns), strict=True)
    rows: list[Row] = [
        {"system": name, "place": place, **dict(zip(keys, row, strict=True))}
        for place, (name, *row) in enumerate(values, 1 + above)
    ]
    sure, widest = int((own.low == own.high).sum()), int((own.high - own.low).argmax())
    finding = f"{sure} of {counted(rated, 'rank')} are sure"
    if sure < rated:
        ends = f"from {int(own.low[widest])} to {int(own.high[widest])}"
        finding = f"{finding}; the least sure, {cut(names[widest], _SHORT)}, is anywhere {ends}"
    level = at_level(found.level)
    line = f"Bars: ranks with {level} confidence, {at_once(found)}; thick: of a system chosen before looking."

    def chart() -> Spec:
        scale = {"domain": [0.5, most + 0.5], "nice": False, "zero": False}
        axis = marks.over(len(rows[:MOST_DRAWN]), values=_ticks(most), format="d", grid=True)
        x, place, shown_low = (
            channel(f"{field}:Q", title="rank", scale=scale, **axis) for field in ("from", "place", "shown_low")
        )
        drawn = [{**row, "from": row["low"] - 0.4, "text": row["high"] + 0.4} for row in rows[:MOST_DRAWN]]
        drawn = [{**row, "shown_low": row["own_low"] - 0.4, "shown_high": row["own_high"] + 0.4} for row in drawn]
        base = marks.chart(drawn, _systems(len(drawn)), step=_step(len(drawn)))
        wide = base.mark("bar", color=CORRECTED, opacity=0.35, height={"band": 0.35}).encode(x=x, x2="text")
        alone = base.mark("bar", color=CORRECTED, opacity=0.9, height={"band": 0.6})
        alone = alone.encode(x=shown_low, x2="shown_high")
        return marks.finish([wide, alone, base.mark("tick", color=INK, thickness=2).encode(x=place)])

    heads = {"low": "rank, from", "high": "rank, to"}
    heads |= {"own_low": "from, if chosen beforehand", "own_high": "to, if chosen beforehand"}
    caption = Caption(finding, (line, "Rank 1 is best; stroke: the place by the estimates."))
    return Figure("ranks", caption, rows, chart, heads)


def groups(found: Ratings | Leaderboard) -> Figure:
    """Systems between the cuts of the order, and how many pairs of them are told apart."""
    rows, names = list[Row](), distinct(found.systems)
    for number in np.unique(found.group).tolist():
        within = np.flatnonzero(found.group == number)
        row: Row = {"group": number, "systems": len(within)}
        row["told"] = int(found.ranks.above[np.ix_(within, within)].sum())
        rows.append(row | {"which": ", ".join(names[i] for i in within.tolist())})
    finding = f"The order of {counted(len(found), 'system')} is cut in {counted(len(rows) - 1, 'place')}"
    line = "Every system above a cut is surely better than every one below it. Within a group nothing is said by that: "
    line += "its systems are not equal, and where pairs of it are told apart, it is a chain."
    heads = {"told": "pairs of it told apart", "which": "systems of the group"}
    return Figure("groups", Caption(finding, (line,)), rows, headers=heads)


def pairs(found: Ratings | Leaderboard) -> Figure:
    """Every two systems of which one is surely better, as a grid."""
    better, worse = (places[:MOST_PAIRS].tolist() for places in np.nonzero(found.ranks.above))
    names, count = distinct(found.systems), len(found)
    rows: list[Row] = [{"better": names[i], "worse": names[j]} for i, j in zip(better, worse, strict=True)]
    finding = found.told_words
    lines = (
        f"Dark: the system of the row is surely better than that of the column, {at_once(found)}.",
        "White: which of the two is better is not known. That does not say they are equal.",
    )

    def chart() -> Spec:
        places = zip(rows, better, worse, strict=True)
        boxes = [{**row, "i": i + 1, "j": j + 1, "left": j + 0.5, "right": j + 1.5} for row, i, j in places]
        boxes = [{**row, "top": row["i"] - 0.5, "bottom": row["i"] + 0.5} for row in boxes]
        axis = {"grid": False, "format": "d", "values": _ticks(count)}
        ends = [0.5, count + 0.5]
        across, down = ({"domain": domain, "nice": False, "zero": False} for domain in (ends, ends[::-1]))
        x = channel("left:Q", title="place of the other system", axis=axis, scale=across)
        y = channel("top:Q", title="place of the better system", axis=axis, scale=down)
        cells = Marks(boxes).mark("rect", color=CORRECTED, opacity=0.85)
        cells = cells.encode(x=x, x2="right", y=y, y2="bottom", tooltip="better worse")
        diagonal = Marks([{"left": end, "top": end} for end in ends])
        same = diagonal.mark("line", color=INK, opacity=0.4).encode(x=x, y=y)
        return marks.finish([cells, same], height=min(360, 60 + 12 * count))

    return Figure("pairs", Caption(finding, lines), rows, chart, {"better": "surely better", "worse": "than"})


def neighbours(found: Ratings) -> Figure:
    """Gaps of systems that follow each other, and how many more votes would tell them apart."""
    rows: list[Row] = [
        {**pair.to_row(), "first": first, "second": second, "told_apart": "yes" if pair.told_apart else "no"}
        for pair, (first, second) in zip(found.neighbours, pairwise(distinct(found.systems)), strict=False)
    ]
    told = sum(pair.told_apart for pair in found.neighbours)
    votes = plural(found.counted_by)
    span = f"Gap: difference of the ratings, with {at_level(found.level)} intervals for all neighbours at once."
    more = f"More {votes}: with so many more, dealt out as now, the chance of telling the two apart is {POWER:g}, were "
    more += "their gap as estimated; it may well be smaller. Empty: no number would."
    heads = {"first": "system", "second": "next", "told_apart": "told apart", "more": f"more {votes}"}
    finding = f"{told:,} of {counted(len(rows), 'pair')} of neighbours {'is' if told == 1 else 'are'} told apart"
    titles = {"votes": f"{votes} needed"}
    return Figure.of("neighbours", Caption(finding, (span, more)), rows, heads, titles=titles)


def _without_judges(judges: ByJudges) -> Figure:
    """Who is first without each judge, and by summaries that no single judge can move far."""
    rows = judges.rows()
    ways = f"{sum(row['same'] for row in rows)} of {counted(len(rows), 'other way')}"
    caption = Caption(
        f"{judges.first} has the {judges.mean}, and is first in {ways} too",
        (
            "Each judge left out in turn; the median of judges; from 5 on their mean without lowest and highest.",
            "Means by a judge count about the judge's average.",
        ),
    )
    heads = Short.titles(way="by", first="first", same="as by the mean")
    return Figure.of("judges", caption, rows, heads, titles={"same": "same as by the mean"})


def _left_out_votes(few: Fragility) -> Figure:
    """Which votes, left out, put another system first."""
    rows: list[Row] = [{"winner": cut(a), "loser": cut(b), "votes": count} for a, b, count in few.drops]
    finding = f"Without {counted(few.dropped, 'vote')} of {few.votes:,} another system is first"
    lines = (
        "Votes that do most for the first, left out one after the other; the ratings are found again without them.",
        "This is no test: who is first may be sure and still hang on few votes, if these were chosen to hurt.",
    )
    heads = Short.titles("winner", "loser", votes="votes left out")
    return Figure.of("fragility", Caption(finding, lines), rows, heads, first=True)


def _left_out_rows(few: Fragility) -> Figure:
    """In which rows these votes are."""
    rows: list[Row] = [
        {name: cut(str(value)) for name, value in one.to_row().items()} for one in few.dropped_rows[:MOST_PAIRS]
    ]
    finding = f"They are in {counted(len(few.dropped_rows), 'row')} of what was read"
    lines = ["Votes for the same system against the same other do the same: the first of them are named."]
    lines += [f"The first {MOST_PAIRS:,} are shown."] if len(few.dropped_rows) > MOST_PAIRS else []
    heads = {name: name for name in rows[0]}
    return Figure.of("fragile_rows", Caption(finding, tuple(lines)), rows, heads, titles={"votes": "votes left out"})


def ranked(found: Ratings | Leaderboard) -> Figure:
    """What was ranked."""
    values: dict[str, object] = {"systems": len(found), f"{found.counted_by}s": found.n}
    if isinstance(found, Ratings):
        values |= {"ties": found.ties, "intervals by": found.method}
        levels = zip(found.cluster, found.clusters, strict=True)
        values |= {f"clusters ({name})": count for name, count in levels}
        values |= {} if not found.regularisation else {"regularisation": found.regularisation}
        values |= {} if isnan(found.nu) else {"odds of a tie between equals": f"{found.nu:.3g}"}
    else:
        judgments = found.joint.fit.judgments
        values |= {f"levels of {name}": judgments.n_levels(name) for name in judgments.names}
    values |= {
        "pairs of systems": found.n_pairs,
        "of them told apart": found.told_apart,
        "cuts of the order": len(found.groups) - 1,
    }
    return particulars("ranked", f"What was ranked: {counted(len(found), 'system')}", values)


def _rank_range(low: int, high: int) -> str:
    """Ranks that a system may have.

    Examples
    --------
    >>> _rank_range(1, 3), _rank_range(2, 2)
    ('1–3', '2')
    """
    return f"{low}" if low == high else f"{low}–{high}"


def _first(found: Ratings | Leaderboard) -> str:
    """Who is first, and how surely."""
    if found.unbeaten:
        never = listed([cut(one.system, _SHORT) for one in found.unbeaten], most=3)
        return f"{never} never lost: no rating says how far above the others"
    name, most = cut(distinct(found.systems)[0], _SHORT), int(found.ranks.high[0])
    if not found.rankable:
        return f"These {len(found)} systems are not rankable: noise exceeds what they differ by"
    if most == 1:
        return f"{name} is first of {len(found)} systems"
    return f"{name} is ahead, at rank {_rank_range(1, most)}; {found.told_words}"


def methods(found: Ratings | Leaderboard) -> str:
    """The paragraph for a methods section."""
    if isinstance(found, Ratings):
        law = _LAWS.get(found.method, "").replace("votes", f"{found.counted_by}s")
        if found.method == "cluster":
            levels = " and ".join(f"{count:,}" for count in found.clusters)
            several = ", Cameron, Gelbach and Miller, 2011" if len(found.cluster) > 1 else ""
            law = f"Intervals are cluster-robust by {listed(found.cluster)} ({levels} clusters{several})"
        ridge = f", with a ridge of {found.regularisation:g}" if found.regularisation else ""
        first = " with an effect of being shown first," if found.positioned else ""
        first += f" slopes for every {found.discrimination}," if found.discrimination else ""
        first += " ties of its own for every system," if found.own_ties else ""
        first += f" at equal {listed(found.covariates)}," if found.covariates else ""
        how = (
            f"{len(found)} systems were rated by {counted(found.n, found.counted_by)} with the model of {found.law},"
            f"{first} {found.tie_law}, by maximum likelihood{ridge}. {law}."
        )
    else:
        judgments = found.joint.fit.judgments
        targets = {"population": "levels like these", "panel": "these levels only", "finite": "these levels only"}
        scope = "; ".join(f"{name}: {targets.get(one, one)}" for name, one in _targets(found).items())
        how = (
            f"{len(found)} systems were ranked by mean {judgments.score} over "
            f"{counted(judgments.n_answers, 'score')} ({scope}). Means are those of each system's scores, differences "
            "those of every two systems by themselves, with Student's intervals over items."
        )
    return (
        f"{how} Ranks have {at_level(found.level)} confidence {at_once(found)}, by the "
        "largest studentised difference (Mogstad, Romano, Shaikh and Wilhelm, 2024); the order is cut where every "
        "system above is surely better than every one below."
    )


def _targets(found: Leaderboard) -> dict[str, str]:
    """What facets other than the one that is ranked stand for."""
    return {name: str(one) for name, one in found.means[0].target.items() if name != found.joint.facet}


def options(found: Ratings | Leaderboard) -> str:
    """What was chosen."""
    chosen = [f"level {found.level:g}"]
    if isinstance(found, Ratings):
        chosen += [f"ties {found.ties}", f"method {found.method}", f"regularisation {found.regularisation:g}"]
        chosen += ["ties by system"] if found.own_ties else []
        chosen += [f"discrimination {found.discrimination}"] if found.discrimination else []
        chosen += [f"covariates {','.join(found.covariates)}"] if found.covariates else []
        chosen += [f"rankings {found.rankings}"] if found.rankings else []
        chosen += [f"cluster {','.join(found.cluster) or 'none'}"]
    else:
        chosen.append(f"targets {listed(f'{name} {one}' for name, one in _targets(found).items())}")
    return ", ".join(chosen)


def _systems(count: int) -> Channel:
    """The axis of systems, with every label however many there are."""
    axis = {"labelFontSize": _size(count), "labelOverlap": False}
    return channel("system:N", sort=None, title=None, axis=axis)


def _ticks(most: int) -> list[int]:
    """First and last rank, and round ones between that do not crowd them."""
    step = next(one for one in (1, 2, 5, 10, 20, 50, 100, 10**6) if most / one <= 12)
    return sorted({1, *range(step, most - step // 2, step), most})


def _step(count: int) -> int:
    return 26 if count <= marks.MANY else 17


def _size(count: int) -> int:
    return 12 if count <= marks.MANY else 11
