from __future__ import annotations

from posteriors import check_of

from quorate.reporting.report import page_of


def test_the_page_has_a_histogram_of_every_parameter_with_its_band():
    found = check_of(worst=0.6)
    made = page_of(found)
    *histograms, tests = made.figures
    assert [figure.caption.finding.partition(":")[0] for figure in histograms] == [*found.ranks]
    assert "all bars in the band, p = 1.000" in histograms[0].caption.finding
    assert "outside the band, p = 0.000" in histograms[2].caption.finding
    assert [row["studies"] for row in histograms[2].rows] == [*found.uniformity["mean"].counts]
    low, high = found.band
    assert [row["in the band"] for row in histograms[2].rows] == [
        low <= count <= high for count in found.uniformity["mean"].counts
    ]
    assert len(histograms[0].chart()["layer"]) == 3
    assert len(tests.rows) == 3
    assert "Talts et al., 2018" in made.methods
