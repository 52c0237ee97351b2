"""Draw ``intervals.png``, the picture of the README: the demo's three intervals and the truth.

Run it from the root of the repository after the demo's data or the chart have changed::

    .venv/bin/python docs/images/intervals.py
"""

import tempfile
from pathlib import Path

import altair as alt

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.judgments.verdict import intervals
from quorate.simulate import demo_truth, write_demo


def main() -> None:
    """Write the picture next to this file."""
    with tempfile.TemporaryDirectory() as folder:
        analysis = analyze_judgments(q.read(write_demo(Path(folder) / "scores.csv")))
    truth = alt.Data(values=[{"truth": demo_truth(), "label": f"truth {demo_truth():.2f}"}])
    rule = alt.Chart(truth).mark_rule(color="#d55e00", strokeWidth=2).encode(x="truth:Q")
    name = alt.Chart(truth).mark_text(color="#d55e00", dx=4, align="left", baseline="bottom", fontSize=13)
    figure = intervals(analysis)
    chart = figure.chart() + rule + name.encode(x="truth:Q", y=alt.value(178), text="label:N")
    title = alt.TitleParams(text=figure.caption.finding, subtitle=list(figure.caption.lines))
    picture = chart.properties(width=640, title=title).configure(background="white", padding=14)
    picture.save(Path(__file__).with_suffix(".png"), scale_factor=1.5)


if __name__ == "__main__":
    main()
