from __future__ import annotations

from quorate.reproduction.study import inputs, publication, source_of


def test_inputs_say_where_they_come_from():
    assert "CC BY 4.0" in inputs()["source"]
    for name in ("safety", "likert", "pairwise", "pairwise recoded", "safety logit", "pairwise logit"):
        source, design = source_of(name)
        assert "judge" in source.sensitivity
        assert design["judges"] == 3


def test_configurations_are_those_of_the_archive():
    """45 of each: five prompts, three judges, three temperatures."""
    for found in inputs()["configurations"].values():
        assert len(found["mean"]) == len(found["se"]) == 45
        assert (
            abs(sum(found["mean"]) / 45 - found["truth"]) < 5e-3
        )  # the truth weighs configurations by their judgments


def test_papers_are_named_with_year_and_number():
    assert all("(2026)" in title for title in publication().papers.values())
