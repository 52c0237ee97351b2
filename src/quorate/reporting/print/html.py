"""The HTML of a page: whatever fills a hole is made fit to be shown, then escaped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from quorate.analysis.words import visible

if TYPE_CHECKING:
    from quorate.reporting.page import Page

PAPER_ROWS = 40
"""Rows of a table that paper has room for."""
HEAD = Markup("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">""")
"""How every page begins, of a report and of a study."""


def filled(form: str, *values: object) -> Markup:
    """HTML with its holes filled; what is markup already stays.

    Examples
    --------
    >>> filled("<b>%s</b> %s", "a < b", Markup("<i>c</i>"))
    Markup('<b>a &lt; b</b> <i>c</i>')
    """
    shown = tuple(visible(value) if type(value) is str else value for value in values)
    return Markup(form) % shown  # noqa: S704  forms are ours


def _each(form: str, values: Iterable[object]) -> Markup:
    """One form for every value, or tuple of values."""
    return Markup().join(filled(form, *(value if isinstance(value, tuple) else (value,))) for value in values)


def html(
    page: Page, *, sentence: str, lead: Any, sections: list[dict[str, Any]], checklist: dict[str, Any], **parts: Any
) -> str:
    """The whole page.

    Parameters
    ----------
    page : Page
        Title, next step, tiles, methods and provenance.
    sentence : str
        The answer.
    lead : dict, or None
        The figure that stands under the answer.
    sections : list of dict
        Name, title, text and figures of each.
    checklist : dict
        The figure of the methods.
    parts
        ``note``, ``caveats`` and ``prompts`` fit to be shown; ``style``, ``script`` and its ``hash``.
    """
    own = {name: Markup(parts[name]) for name in ("style", "script", "hash")}  # noqa: S704  files of ours
    links = _each('<li><a href="#%s">%s</a></li>\n', ((one["name"], one["title"]) for one in sections))
    return "".join(
        [
            filled(_TOP, HEAD, page.provenance["software"], own["hash"], page.title, own["style"], page.title),
            filled('<p class="note">%s</p>\n', parts["note"]) if parts["note"] else "",
            filled('<h1 class="sentence">%s</h1>\n', sentence),
            filled("%s\n", _exhibit(lead, 2)) if lead else "",
            _next(page),
            _around('<ul class="tiles">\n%s</ul>\n', _TILE, ((tile.value, tile.label) for tile in page.tiles)),
            _around(_CAVEATS, "<li>%s</li>\n", parts["caveats"]),
            filled(_LINKS, links),
            *map(_section, sections),
            filled(_METHODS, page.methods, checklist["caption"].finding, _head(checklist), _numbers(checklist, 3)),
            _around(_PROMPTS, "<h4><bdi>%s</bdi></h4>\n<pre><bdi>%s</bdi></pre>\n", parts["prompts"]),
            filled(_END, _each("<dt>%s</dt><dd><bdi>%s</bdi></dd>\n", page.provenance.items()), own["script"]),
        ]
    )


def _around(form: str, each: str, values: Iterable[object]) -> Markup:
    """What stands around some parts; nothing where there are none."""
    parts = _each(each, values)
    return filled(form, parts) if parts else parts


def _next(page: Page) -> Markup:
    step = page.next_step
    if step is None:
        return Markup()
    command = filled("<pre><bdi>%s</bdi></pre>\n", step.command) if step.command else ""
    return filled('<div class="next">\n<p>%s</p>\n%s</div>\n', step.sentence, command)


def _section(section: dict[str, Any]) -> Markup:
    many = len(section["text"]) > 1
    text = _each("<li>%s</li>\n" if many else "<p>%s</p>\n", section["text"])
    body = filled("<ul>\n%s</ul>\n", text) if many else text
    figures = _each("%s\n", map(_exhibit, section["figures"]))
    return filled('<section id="%s">\n<h2>%s</h2>\n%s%s</section>\n', section["name"], section["title"], body, figures)


def _exhibit(figure: dict[str, Any], level: int = 3) -> Markup:
    """A figure with its finding: on demand only where it is folded."""
    finding, head, numbers = figure["caption"].finding, _head(figure), _numbers(figure, level)
    if not figure["folded"]:
        top = filled(_KEEP, level, finding, level, head)
        return filled('<figure id="figure-%s">\n%s%s\n</figure>\n', figure["name"], top, numbers)
    long = len(figure["rows"]) > PAPER_ROWS
    body = filled(_FOLDED, " on-screen" if long else "", finding, head, numbers)
    paper = filled(_ON_PAPER, finding) if long else ""
    return filled('<figure id="figure-%s">\n%s%s</figure>\n', figure["name"], body, paper)


def _head(figure: dict[str, Any]) -> Markup:
    """What is said of a figure, and its chart."""
    lines = _each('<p class="small">%s</p>\n', figure["caption"].lines)
    if not figure["chart"]:
        return lines
    drawn = figure["drawings"]
    return filled(_CHART, lines, figure["name"], drawn["wide"], drawn["narrow"], drawn["tips"])


def _numbers(figure: dict[str, Any], level: int) -> Markup:
    """The table: under a chart on demand, unless it is opened where the figure stands in its section."""
    table = _table(figure)
    if not figure["chart"]:
        return filled("%s\n", table)
    return filled(_NUMBERS, " open" if figure["unfolded"] and level == 3 else "", table)


def _table(figure: dict[str, Any]) -> Markup:
    sides, titles = figure["sides"], figure["titles"]
    heads = [filled(_NUMBER_HEAD if side else _HEAD, title) for title, side in zip(titles, sides, strict=True)]
    cells = [
        '<td class="number">%s</td>' if side else f'<td class="{kind}"><bdi>%s</bdi></td>'
        for kind, side in zip(figure["kinds"], sides, strict=True)
    ]
    return filled(
        _TABLE,
        figure["caption"].finding,
        filled("<thead><tr>%s</tr></thead>\n", Markup().join(heads)) if any(map(str.strip, titles)) else "",
        _each(f"<tr>{''.join(cells)}</tr>\n", figure["rows"]),
        filled(_HIDDEN, f"{figure['hidden']:,}") if figure["hidden"] > 0 else "",
        figure["name"],
        figure["csv"],
    )


_HEAD = '<th scope="col"><bdi>%s</bdi></th>'
_NUMBER_HEAD = '<th scope="col" class="number"><bdi>%s</bdi></th>'
_TABLE = """\
<div class="scroll" tabindex="0" role="region" aria-label="Numbers: %s">
<table>
%s<tbody>
%s</tbody>
</table>
</div>
%s<p class="tools"><a class="button" download="%s.csv" href="data:text/csv;charset=utf-8;base64,%s">Download CSV</a></p>
"""
_HIDDEN = '<p class="small">And %s more rows in the download.</p>\n'
_NUMBERS = """\
<details class="numbers"%s>
<summary>Numbers</summary>
%s
</details>
"""
_CHART = """\
%s<div class="chart" data-chart="%s">
<div class="wide">%s</div>
<div class="narrow">%s</div>
<script type="application/json">%s</script>
</div>
"""
_KEEP = """\
<div class="keep">
<figcaption><h%s>%s</h%s></figcaption>
%s
</div>
"""
_FOLDED = """\
<details class="folded%s">
<summary><h3>%s</h3></summary>
%s
%s
</details>
"""
_ON_PAPER = '<p class="on-paper small">%s: a table too long for paper; see the page.</p>\n'
_TILE = "<li><strong>%s</strong> <span>%s</span></li>\n"
_CAVEATS = """\
<div class="caveats">
<h2 id="caveats">Read it with these caveats</h2>
<ul>
%s</ul>
</div>
"""
_TOP = """\
%s
<meta name="generator" content="%s">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; style-src 'unsafe-inline'; \
img-src data:; base-uri 'none'; form-action 'none'">
<title>%s · Quorate report</title>
<style>%s</style>
</head>
<body>
<header>
<p class="brand">Quorate report · <bdi>%s</bdi></p>
"""
_LINKS = """\
<nav aria-label="Sections">
<ul>
%s<li><a href="#methods">Methods</a></li>
</ul>
</nav>
</header>
<main>
"""
_METHODS = """\
<section id="methods">
<h2>Methods</h2>
<p id="methods-text">%s</p>
<p class="tools"><button type="button" class="button" data-copy="methods-text">Copy paragraph</button></p>
<figure id="figure-checklist" class="checklist">
<figcaption><h3>%s</h3></figcaption>
%s
%s
</figure>
"""
_PROMPTS = """\
<details class="folded">
<summary><h3>Prompt texts of the study record</h3></summary>
%s</details>
"""
_END = """\
<h3>To do it again</h3>
<dl id="again">
%s</dl>
<p class="tools"><button type="button" class="button" data-copy="again">Copy</button></p>
</section>
</main>
<script>%s</script>
</body>
</html>"""
