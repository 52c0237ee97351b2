from __future__ import annotations

from quorate.analysis.certify import Certificate, Certified
from quorate.reporting.pages.validated import certificate


def test_coverage_is_shown_with_its_error():
    found = Certified("", 0.951, 0.005, 1.02, 0.01, None, None, 2000, 3)
    (figure,) = certificate(Certificate("mean", 0.95, (found,), 1)).figures
    assert figure.rows[0]["coverage"] == "95.1% ± 0.5"
    assert (figure.rows[0]["studies"], figure.rows[0]["told_apart"]) == (1997, None)
