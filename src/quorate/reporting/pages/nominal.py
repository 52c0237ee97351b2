"""Labels: the page of their shares, of agreement beyond chance, of what judges confuse, and of items for people."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from math import isnan

from quorate.analysis.words import cut, distinct, number, shown
from quorate.estimate.labels import Confusion
from quorate.estimate.nominal import LabelPanel, Labels, interval, limits
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.roles import JUDGE
from quorate.table.results import picked
from quorate.wording import at_level, capitalised, counted, listed, percent, plural, shares

_LONG, _MOST = 60, 200


def page(result: Labels, table: Table | None = None) -> Page:
    """The page of labels; of the judges who gave them first how far they agree."""
    source = result.judgments if table is None else table
    of_judges = isinstance(result, LabelPanel)
    return Page.of(
        result,
        source,
        "Labels",
        sentence=cut(result.sentence, 1000),
        sections=tuple(sorted(sections(result), key=lambda one: of_judges and one.name == "labels")),
        facts=labelled(result),
        methods=methods(result),
        tiles=tuple(tiles(result)),
        options=f"level {result.level:g}, at most {result.most} items for people",
    )


def sections(result: Labels) -> Iterator[Section]:
    """All sections but the last, the methods' own."""
    yield Section("labels", "How common each label is", figures=(label_shares(result),))
    if result.coefficients:
        yield Section(
            "agreement",
            "How far judges agree",
            figures=(agreement(result), *([_two_by_two(result)] if result.pairs else [])),
        )
        yield Section("confusion", "Which labels are confused", figures=(confusion(result),))
        yield Section("people", f"{capitalised(plural(result.labelled))} to send to people", figures=(people(result),))


def tiles(result: Labels) -> Iterator[Tile]:
    """The few numbers at the top."""
    first = result.shares[0]
    value, low, high = shares(first.share, *first.estimate.ends)
    yield Tile(value, f'are "{cut(first.label, _LONG)}" ({low} to {high})')
    alpha = result.coefficient("Krippendorff's alpha")
    if alpha is not None:
        yield Tile(f"{alpha.value:.2f}", "Krippendorff's alpha: 1 is full agreement, 0 that of chance")
        yield Tile(
            f"{result.without_majority:,}",
            f"of {counted(len(result.items), result.labelled)} without a majority",
        )


def label_shares(result: Labels) -> Figure:
    """Every label with its share and intervals, the commonest first."""
    names = distinct([one.label for one in result.shares])
    rows: list[Row] = [
        {"label": name}
        | picked(one, "share low=estimate.low high=estimate.high panel_low=setup.low panel_high=setup.high")
        | {"judgments": _count(one.judgments)}
        for name, one in zip(names, result.shares, strict=True)
    ]
    if not result.panel_scope:
        rows = [{name: value for name, value in row.items() if not name.startswith("panel_")} for row in rows]
    level, item = f"{at_level(result.level)}", result.judgments.object
    first = rows[0]
    finding = (
        f'"{cut(first["label"], _LONG)}" is the commonest of {counted(len(rows), "label")}: {percent(first["share"])}'
    )
    scope = f" {result.scope}" if result.scope else ""
    lines = [f"Share of {plural(item)} to which a judge gives the label, with {level} intervals{scope}."]
    lines += [f"Panel low and high: the interval {result.panel_scope}."] if result.panel_scope else []
    heads, titles = Short.titles("label", "share", low=f"{level} interval"), Short.titles("panel_low", "panel_high")
    caption, drawn = Caption(finding, tuple(lines)), marks.spread(marks.known(rows, "share", "low", "high"))
    return marks.dotted(
        "shares", caption, rows, heads, "share", drawn=drawn, titles=titles, unfolded=True, percent="share"
    )


def agreement(result: Labels) -> Figure:
    """Agreement of all judges, as a chance and beyond chance."""
    agreed = result.coefficients[0]
    rows: list[Row] = [
        {"coefficient": one.name, "value": one.value, "low": one.panel_low, "high": one.panel_high}
        | (
            {"others": limits(one.low, one.high), "others_low": one.low, "others_high": one.high}
            if agreed.judges
            else {}
        )
        for one in result.coefficients
    ]
    these = f", for these {counted(result.judges, 'judge')}" if result.judges else ""
    what = (
        "Agreement: the chance that two judges of an item give it one label. The others are beyond chance: 0 as often "
        "as by chance, 1 always. They differ in what they take chance to be: where one label is very common, alpha and "
        "kappa can be low although judges seldom differ, and AC1 is not."
    )
    like = "; for judges like these they count judges too" if agreed.judges else ""
    lines = (what, f"{at_level(result.level)} intervals count items alone as sampled{these}{like}.")
    drawable = marks.known(rows, "value", "low", "high")
    caption = Caption(f"Two judges agree on {percent(agreed.value)}", lines)
    heads = Short.titles(coefficient="agreement of judges", value="value", low="with these")
    heads |= {"others": "judges like these"} if agreed.judges else {}
    titles = Short.titles("others_low", "others_high")
    return marks.dotted(
        "coefficients", caption, rows, heads, "agreement", unfolded=True, drawn=drawable, line=0.0, titles=titles
    )


def _two_by_two(result: Labels) -> Figure:
    """Every two judges: agreement, Cohen's kappa, and the two labels that they confuse most."""
    rows: list[Row] = [
        {"judges": f"{cut(one.first, _LONG)}, {cut(one.second, _LONG)}"}
        | picked(one, "items agreement kappa low high")
        | {
            "confused": f'"{cut(one.first_says, _LONG)}", "{cut(one.second_says, _LONG)}"' if one.first_says else "",
            "times": _count(one.confused),
        }
        for one in sorted(result.pairs, key=lambda one: (one.kappa != one.kappa, one.kappa))
    ]
    drawable = marks.known(rows, "kappa", "low", "high")
    finding = "No two judges judged the same items"
    if rows:
        least = " least" if len(rows) > 1 else ""
        finding = f"{rows[0]['judges']} agree{least}: Cohen's kappa {number(rows[0]['kappa'], 2)}"
    lines = (
        f"With {at_level(result.level)} intervals, which hold for these two judges; those who agree least come first.",
        "Confused: the first says, the second says, and on how many items.",
    )
    caption = Caption(finding, lines)
    heads = Short.titles("judges", "kappa", low="interval", items="items", confused="confused")
    return marks.dotted(
        "pairs", caption, rows, heads, "Cohen's kappa", drawn=marks.spread(drawable), look=NAIVE, line=0.0
    )


def confusion(result: Labels) -> Figure:
    """Labels beside those that another judge gives the same item."""
    first = most_confused(result)
    rows: list[Row] = [
        {"label": cut(one.label, _LONG), "other": cut(one.other, _LONG), "pairs": _count(one.pairs), "share": one.share}
        for one in result.confusions
        if one.label != one.other
    ][:_MOST]
    finding = "Judges never differ"
    if first is not None:
        finding = (
            f'"{cut(first.label, _LONG)}" and "{cut(first.other, _LONG)}" are confused most: '
            f"{first.pairs:,.4g} of {differing(result):,.4g} pairs of judges who differ"
        )
    lines = ("Share: of the times that a judge says the label, how often another judge of the item says the other.",)
    heads = {"label": "a judge says", "other": "another says", "pairs": "pairs of judges"}
    return Figure.of("confusion", Caption(finding, lines), rows, heads | {"share": "of the first"}, percent="share")


def people(result: Labels) -> Figure:
    """Items on which judges agree least."""
    rows: list[Row] = [
        {"item": one.item, "judges": one.judges, "majority": one.majority or "none"}
        | picked(one, "commonest share entropy")
        for one in result.people
    ]
    none, item = result.without_majority, result.labelled
    finding = f"{none:,} of {counted(len(result.items), item)} {'has' if none == 1 else 'have'} no majority"
    line = (
        "Those without a majority first, then by entropy of the labels given, in bits: 0 where all agree, 1 where two "
        "labels come equally often."
    )
    heads = Short.titles(item=item, judges="judges", majority="majority", entropy="entropy, bits")
    return Figure.of("people", Caption(finding, (line,)), rows, heads, unfolded=True)


def labelled(result: Labels) -> Figure:
    """What was labelled."""
    table, item = result.judgments, result.judgments.object
    values: dict[str, object] = {} if result.labelled == item else {plural(item): table.n_levels(item)}
    values |= {plural(result.labelled): len(result.items), "judges": result.judges or "without names"}
    values |= {"labels": len(result.shares), "judgments": table.n_answers}
    values |= {"rows without a label": int(table.rows.sum()) - table.n_answers}
    return particulars(
        "labelled", f"What was labelled: {counted(len(result.items), result.labelled)}", values, head="number"
    )


def _count(value: float) -> float | int:
    """A whole number where it is one; shares of judges who gave several labels are none."""
    return round(value) if abs(value - round(value)) < 1e-9 else value


# The methods section: what was labelled by whom, the shares, agreement, and how they were found.


_NAMED = 8
"""Labels whose shares are named one by one."""


def methods(found: Labels) -> str:
    """What was done and what came out."""
    sentences = (_data(found), _shares(found), _model(), _agreement(found), _confused(found), _people(found))
    return " ".join(filter(None, sentences))


def _data(found: Labels) -> str:
    """Who labelled what, and how many labels are missing."""
    table = found.judgments
    absent = int(table.rows.sum()) - table.n_answers
    gaps = f"; {absent:,} of {absent + table.n_answers:,} rows had no label and were taken as missing at random"
    others = [name for name in table.names if name not in (table.object, JUDGE, *table.ancestors(table.object))]
    by = f"{counted(found.judges, JUDGE)} gave " if JUDGE in table.names else "The study has "
    over = [counted(len(found.items), shown(table.object))]
    over += [counted(table.n_levels(name), shown(name)) for name in others]
    what = f"{counted(table.n_answers, 'label')} of {counted(len(found.shares), 'kind')} to {listed(over)}"
    return f"{by}{what}{gaps if absent else ''}."


def _shares(found: Labels) -> str:
    """The share of every label with its interval."""
    said = []
    for one in found.shares[:_NAMED]:
        value, low, high = shares(one.share, *one.estimate.ends)
        said.append(f'"{shown(one.label)}" {value} ({low} to {high})')
    rest = len(found.shares) - _NAMED
    more = f" and {counted(rest, 'rarer label')}" if rest > 0 else ""
    level, scope = f"{at_level(found.level)} intervals", f", {found.scope}" if found.scope else ""
    return f"Shares of {found.judgments.object}s by label ({level}{scope}): {'; '.join(said)}{more}."


def _model() -> str:
    """How the shares were estimated."""
    return (
        "Shares are means of 0/1 scores, one for each label, from linear mixed models whose variance components were "
        "estimated by restricted maximum likelihood. One set of weights for all labels makes them add up to 1; their "
        f"intervals are Wilson's for an effective number of answers (Quorate {version('quorate')})."
    )


def _agreement(found: Labels) -> str:
    """Agreement of judges, and what its intervals count."""
    agreed = found.coefficient("agreement")
    if agreed is None:
        return "One judge gave all labels, so nothing is known of agreement."
    beyond = listed([f"{one.name} is {interval(one)}" for one in found.coefficients if one is not agreed])
    whom = "items and judges" if agreed.judges else "items alone"
    way = "in both directions " if agreed.judges else ""
    value = percent(agreed.value)
    if not isnan(agreed.low):
        value, low, high = shares(agreed.value, agreed.low, agreed.high)
        value = f"{value} ({low} to {high})"
    return (
        f"Two judges of an item agreed with a chance of {value}. Beyond chance, {beyond}. Intervals of agreement are "
        f"by the jackknife {way}and count {whom} as sampled."
    )


def _confused(found: Labels) -> str:
    """The two labels that are confused most."""
    first = most_confused(found)
    if first is None:
        return ""
    return (
        f'Judges differed most between "{shown(first.label)}" and "{shown(first.other)}" ({first.pairs:,.4g} of '
        f"{differing(found):,.4g} pairs of judges who differed on an item)."
    )


def _people(found: Labels) -> str:
    """Items without a majority."""
    if not found.coefficients:
        return ""
    return f"{counted(found.without_majority, found.judgments.object)} had no label from more than half of the judges."


def most_confused(found: Labels) -> Confusion | None:
    """The two labels that most pairs of judges differ by; None where none do."""
    return next((one for one in found.confusions if one.label != one.other), None)


def differing(found: Labels) -> float:
    """Pairs of judges who gave an item different labels."""
    return sum(one.pairs for one in found.confusions if one.label != one.other) / 2
