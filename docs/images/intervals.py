"""Draw ``intervals.svg``, the picture of the README: the demo's three intervals and the truth.

Run it from the root of the repository after the demo's data or the chart have changed::

    .venv/bin/python docs/images/intervals.py
"""

import tempfile
from pathlib import Path

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.draw.marks import Marks, layered
from quorate.reporting.draw.svg import Panel
from quorate.reporting.pages.judgments.page import intervals
from quorate.reporting.print.files import specification
from quorate.simulate import demo_truth, write_demo


def main() -> None:
    """Write the picture next to this file."""
    with tempfile.TemporaryDirectory() as folder:
        figure = intervals(analyze_judgments(q.read(write_demo(Path(folder) / "scores.csv"))))
    truth = Marks([{"truth": demo_truth(), "label": f"truth {demo_truth():.2f}"}]).encode(x="truth:Q")
    rule = truth.mark("rule", color="#d55e00", strokeWidth=2)
    name = truth.mark("text", color="#d55e00", dx=4, align="left", fontSize=13).encode(y={"value": 172}, text="label:N")
    own, added = specification(figure), layered([rule, name])
    datasets = {**own["datasets"], "truth": added["datasets"]["rows0"]}
    layer = [*own["layer"], *({**one, "data": {"name": "truth"}} for one in added["layer"])]
    picture = Panel({**own, "datasets": datasets, "layer": layer}, 640).svg(figure.caption.finding, alone=True)
    Path(__file__).with_suffix(".svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
