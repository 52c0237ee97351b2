"""Posterior: the page of components and the mean as draws have them, and that on whether such draws hold the truth."""

from __future__ import annotations

import numpy as np

from quorate.analysis.words import cut, significant
from quorate.estimate.posterior.check import PosteriorCheck
from quorate.estimate.posterior.result import DrawnComponents
from quorate.numerics.posterior.chains import BINS, DRAWS, Uniformity
from quorate.reporting.draw import marks
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.table.results import picked
from quorate.wording import counted, listed, whole_percent


def check_page(result: PosteriorCheck, table: Table | None = None) -> Page:
    """The page of a check of posteriors."""
    facts: dict[str, object] = {"simulated studies": result.studies, "draws ranked in each": DRAWS}
    facts |= {"chains": result.chains, "draws of each": result.draws}
    facts |= {"studies with chains too short to be reported": result.unconverged, "seconds": f"{result.seconds:,.0f}"}
    low, high = result.band
    ranks = tuple(
        histogram(f"ranks-{at}", name, one, result.band)
        for at, (name, one) in enumerate(result.uniformity.items(), start=1)
    )
    read = (
        "In every study the prior draws the truth, and the truth draws the scores of the same cells. It is ranked "
        f"among {DRAWS} draws of its posterior: {result.studies / BINS:g} studies are expected in each tenth. All bars "
        f"lie between {low} and {high} (the band) for 19 of 20 parameters if posteriors are right. Bars high at both "
        "ends: intervals too short; high in the middle: too long; sloping: medians too low or too high."
    )
    of = LINKS.get(result.link, "scores as numbers")
    how = (
        f"Posteriors ({of}) were checked by simulation-based calibration (Talts et al., 2018): {result.studies:,} "
        "studies of the cells of this table were simulated from parameters that the prior drew, and the truth was "
        f"ranked among {DRAWS} evenly spaced draws of {result.chains} chains of {result.draws:,}. {result.sentence}"
    )
    return Page.of(
        result,
        table,
        "Check of posteriors",
        sections=(
            Section("ranks", "Where the truth lies among the draws", (read,), ranks),
            Section("tests", "Are the ranks uniform?", (), (tests(result),)),
        ),
        facts=particulars("checks", "How it was simulated", facts),
        methods=how,
        tiles=(
            Tile(f"{result.p:.2g}", "least p-value of uniform ranks, by Bonferroni"),
            Tile(f"{result.studies:,}", "simulated studies"),
            Tile(f"{len(result.ranks):,}", "parameters whose ranks are looked at"),
        ),
        options=f"{counted(result.studies, 'study')}, link {result.link}",
        seed=result.seed,
    )


def histogram(name: str, parameter: str, found: Uniformity, band: tuple[int, int]) -> Figure:
    """Ranks of one parameter in tenths, with the band that they lie in if they are uniform."""
    low, high = band
    size = (DRAWS + 1) // BINS
    rows: list[Row] = [
        {"ranks": f"{at * size}–{(at + 1) * size - 1}", "studies": count, "in the band": low <= count <= high}
        for at, count in enumerate(found.counts)
    ]
    outside = sum(not low <= count <= high for count in found.counts)
    said = "all bars in the band" if not outside else f"{counted(outside, 'bar')} outside the band"
    finding = f"{cut(parameter)}: {said}, p = {found.p:.3f}"

    def chart() -> marks.Spec:
        shown = [
            {**row, "colour": marks.CORRECTED if row["in the band"] else marks.MISSED, "low": low, "high": high}
            for row in rows
        ]
        expected = sum(found.counts) / BINS
        x = marks.channel("ranks:N", sort=None, title="rank of the truth", axis={"labelAngle": 0, "labelOverlap": True})
        top = 1.05 * max(high, *found.counts)
        scale, axis = {"domain": [0, top], "nice": False}, {"tickCount": 4}

        def y(field: str) -> marks.Channel:
            return marks.channel(f"{field}:Q", title="studies", scale=scale, axis=axis)

        base = marks.Marks(shown).encode(x=x, tooltip="ranks studies:")
        lines = marks.Marks([{"low": low, "high": high, "expected": expected}])
        layers = [
            lines.mark("rect", opacity=0.25, color=marks.NAIVE).encode(y=y("low"), y2="high"),
            base.mark("bar", width={"band": 0.8}).encode(y=y("studies"), color=marks.own_colour()),
            lines.mark("rule", color=marks.INK, opacity=0.6, strokeDash=[4, 3]).encode(y=y("expected")),
        ]
        return marks.finish(layers, height=150)

    return Figure(name, Caption(finding), rows, chart)


def tests(result: PosteriorCheck) -> Figure:
    """Counts and the p-value of every parameter."""
    rows: list[Row] = [
        {"parameter": cut(name), "ranks in tenths": ", ".join(map(str, one.counts)), "p": one.p}
        for name, one in result.uniformity.items()
    ]
    finding = f"The least of {counted(len(rows), 'p-value')} is that of {cut(result.worst)}"
    lines = ("Chi-square on 9 degrees of freedom.",)
    heads = {"parameter": "parameter", "ranks in tenths": "studies in each tenth", "p": "p"}
    return Figure.of("tests", Caption(finding, lines), rows, heads, titles={"p": "chi-square p"})


LINKS = {"logit": "a logit model", "ordinal": "a cumulative logit model with ordered thresholds"}
_LONG = 300
_ENDS = np.array([0.025, 0.5, 0.975])


def page(result: DrawnComponents, table: Table | None = None) -> Page:
    """The page of a posterior."""
    table = result.judgments if table is None else table
    low, high = result.mean.ends
    first = result.first
    return Page.of(
        result,
        table,
        "Posterior of components and the mean",
        sentence=cut(result.sentence, _LONG),
        sections=(
            Section("components", "Where the variance comes from", (), (components(result), priors(result))),
            Section("mean", "The mean", (), (means(result),)),
        ),
        facts=checks(result),
        methods=methods(result),
        tiles=(
            Tile(significant(result.mean.value, 4), f"mean (95% interval {low:.4g} to {high:.4g})"),
            Tile(whole_percent(first.share), f"of the variance of one judgment is {cut(first.name)}"),
            Tile(f"{min(result.checks.ess.values()):,.0f}", "effective draws of the component that has fewest"),
        ),
        options=f"targets {listed(f'{name} {target}' for name, target in result.mean.target.items())}",
        seed=result.seed,
    )


def components(result: DrawnComponents) -> Figure:
    """The share of every component in the variance of one judgment."""
    rows: list[Row] = [
        {"component": cut(one.name)}
        | picked(one, "share low=share_low high=share_high variance variance_low=low variance_high=high levels kind")
        for one in result.components
    ]
    finding = f"{cut(result.first.name)} is {whole_percent(result.first.share)} of the variance of one judgment"
    lines = (
        f"Medians of the shares{result.on_scale}, 95% credible intervals; of a fixed facet, the spread of its levels.",
        "Circles: main effects; diamonds: interactions; squares: noise.",
    )
    facets = result.judgments.names
    caption = Caption(finding, lines)
    heads = Short.titles("component", "variance", "share", low="95% interval")
    look = [(marks.colour(one.name, facets), marks.SHAPES[marks.kind(one.name)]) for one in result.components]
    title = "share of the variance of one judgment"
    return marks.dotted("components", caption, rows, heads, title, unfolded=True, look=look, line=0.0, percent="share")


def priors(result: DrawnComponents) -> Figure:
    """Prior and posterior of the standard deviation of every component."""
    rows: list[Row] = []
    for law, draws in zip(result.prior, result.draws.T, strict=True):
        before = law.quantile(_ENDS).tolist()
        after = np.sqrt(np.quantile(draws, _ENDS)).tolist()
        narrower = max(0.0, 1 - (after[2] - after[0]) / (before[2] - before[0]))
        for when, (low, median, high), words in (("prior", before, str(law)), ("posterior", after, "")):
            row = {"component": f"{cut(law.name)}, {when}", "sd": median, "low": low, "high": high}
            rows.append({**row, "law": words, "narrower": None if when == "prior" else narrower})
    learnt = max(rows[1::2], key=lambda row: row["narrower"])
    name = learnt["component"].removesuffix(", posterior")
    finding = (
        f"The scores say most about {name}: its interval is {whole_percent(learnt['narrower'])} shorter than before"
    )
    lines = (
        f"Standard deviation of each component, in {result.unit}: median and 95% interval before (grey) and after.",
        "An arrow: the interval goes on.",
    )
    drawn = [{key: value for key, value in row.items() if key not in ("law", "narrower")} for row in rows]
    window = marks.from_zero([row["sd"] for row in rows], [row["high"] for row in rows[1::2]])
    look, title = [marks.NAIVE, marks.CORRECTED] * len(result.prior), f"standard deviation ({result.unit})"
    heads = Short.titles("component", "sd", low="95% interval", law="law")
    titles = {"sd": "standard deviation"}
    caption = Caption(finding, lines)
    return marks.dotted(
        "priors", caption, rows, heads, title, titles=titles, drawn=drawn, look=look, window=window, tall=18
    )


def means(result: DrawnComponents) -> Figure:
    """The mean, with the priors as they are, and with other ones."""
    words = {0.5: "priors half as wide", 1.0: "priors as they are", 2.0: "priors twice as wide"}
    rows: list[Row] = [
        {"prior": words[one.factor]}
        | picked(one, "mean=value low high effective_draws=ess")
        | {"pareto_k": one.k if np.isfinite(one.k) else None, "reliable": "yes" if one.reliable else "no"}
        for one in result.sensitivity.with_prior
    ]
    narrow, own, wide = result.sensitivity.with_prior
    change = max(abs(one.high - one.low - own.high + own.low) for one in (narrow, wide)) / (own.high - own.low)
    finding = f"Other priors change the width of the mean's interval by {whole_percent(change)}"
    if not (narrow.reliable and wide.reliable):
        finding = "Other priors differ too much from this one to be told from these draws"
    target = listed(f"{name} {target}" for name, target in result.mean.target.items())
    lines = (
        f"Median and 95% credible interval; n = {counted(result.mean.n, 'judgment')}; {cut(target, 200)}.",
        "Others by reweighted draws; reliable where the Pareto k of the weights is at most 0.7.",
    )
    caption = Caption(finding, lines)
    heads = Short.titles("prior", "mean", low="95% interval", reliable="reliable")
    look = [(marks.CORRECTED if one.factor == 1 else marks.NAIVE, "circle") for one in result.sensitivity.with_prior]
    return marks.dotted("means", caption, rows, heads, "mean score", unfolded=True, look=look)


def checks(result: DrawnComponents) -> Figure:
    """What shows that the draws can be relied on."""
    made = result.checks
    facts: dict[str, object] = {"chains": made.chains, "draws of each": made.draws, "divergences": made.divergences}
    facts |= {f"R-hat of {cut(name)}": f"{value:.4f}" for name, value in made.r_hat.items()}
    facts |= {f"effective draws of {cut(name)}": f"{value:,.0f}" for name, value in made.ess.items()}
    facts |= {f"prior of {cut(law.name)}": str(law) for law in result.prior}
    facts |= {"seconds, quoted and taken": f"{made.quoted:,.0f}, {made.seconds:,.0f}"}
    return particulars("checks", "The chains agree", facts)


def methods(result: DrawnComponents) -> str:
    """The paragraph for a methods section."""
    origins, latent = {law.origin for law in result.prior}, result.terms.link != "identity"
    scale = "2.5" if latent else "the standard deviation of all scores"
    laws = [f"half-t with 3 degrees of freedom, its scale {scale}"] * ("default" in origins)
    laws += ["lognormal or half-t by what an earlier study found"] * ("pilot" in origins)
    laws += ["half-t with 3 degrees of freedom, of the size that was published"] * ("published" in origins)
    model, fixed = (
        "normal effects",
        "of fixed effects: flat. Random effects were integrated out and standard deviations",
    )
    if latent:
        model = f"normal effects on log odds ({LINKS[result.terms.link]})"
        fixed = "of thresholds and fixed effects: t with 3 degrees of freedom and scale 2.5. All parameters were"
    return (
        "Variance components and the mean were estimated by Bayesian inference in a crossed random-effects model with "
        f"{model}. Priors of standard deviations: {listed(laws)}; {fixed} sampled by the no-U-turn sampler of numpyro. "
        f"{result.checks.sentence} {result.sensitivity.sentence}"
    )
