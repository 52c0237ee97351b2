from __future__ import annotations

import numpy as np
import pytest

import quorate as q

SOURCE = q.components({"item": 1.0, "prompt": 0.1, "judge": 0.1, "item:judge": 0.2, "replicate": 0.4})


def strata(**design):
    return q.project(SOURCE, **design).studies._strata


def free(found):
    return {"".join(sorted(name[0] for name in stratum)): float(df) for stratum, df in found.df.items()}


def test_crossed_facets_have_the_degrees_of_freedom_of_their_products():
    expected = {"i": 9, "p": 2, "j": 3, "ip": 18, "ij": 27, "jp": 6, "ijp": 54}
    assert free(strata(items=10, prompts=3, judges=4)) == expected


def test_judges_in_turn_have_items_of_their_own():
    """Analysis of variance of items within judges, crossed with prompts; the item is no stratum without its judge."""
    expected = {"j": 3, "p": 2, "jp": 6, "ij": 20 - 4, "ijp": (20 - 4) * 2}
    assert free(strata(items=20, prompts=3, judges=4, layout="cyclic")) == expected


def test_pairs_in_turn_have_items_of_their_own():
    expected = {"j": 3, "p": 2, "jp": 6, "ijp": 24 - 12}
    assert free(strata(items=24, prompts=3, judges=4, layout="latin")) == expected


def test_blocks_tell_items_and_judges_apart():
    """Items x judges with two judges each: 40 cells, less 19 for items, 3 for judges and 1 for the mean."""
    expected = {"i": 19, "j": 3, "p": 2, "jp": 6, "ip": 38, "ij": 17, "ijp": 34}
    assert free(strata(items=20, prompts=3, judges=4, layout="blocks", per_item=2)) == expected


@pytest.mark.parametrize("layout", ["factorial", "cyclic", "latin"])
def test_parts_are_differences_of_mean_squares(layout):
    """With a mean square that is the sum of the parts of larger strata, the differences give each part back."""
    found, rng = strata(items=24, prompts=3, judges=4, layout=layout), np.random.default_rng(1)
    parts = dict(zip(found.each, rng.random(len(found.each)), strict=True))
    squares = {one: sum(part for other, part in parts.items() if one <= other) for one in found.each}
    for stratum, sums in found.differences.items():
        assert sum(times * squares[one] for one, times in sums.items()) == pytest.approx(parts[stratum])
