"""A comparison as a gate: what is claimed, passed or failed, and the items that changed."""

from pathlib import Path

import polars as pl
import pytest
from scipy.stats import binomtest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.differences.difference import difference

NEW = [1] * 70 + [1] * 14 + [0] * 5 + [0] * 11
OLD = [1] * 70 + [0] * 14 + [1] * 5 + [0] * 11


def read(new=NEW, old=OLD, **more):
    rows = {"system": ["new"] * len(new) + ["old"] * len(old), "item": [*range(len(new)), *range(len(old))]}
    return q.read(pl.DataFrame(rows | {"score": new + old} | more), announce=False)


def test_a_claim_passes_or_fails():
    passed = q.compare(read(), "new", "old", claim="not worse", margin=0.05)
    assert passed.exit_code == 0
    assert passed.sentence.startswith(
        "PASS: new is shown to be not worse than old by 0.05 or more. new is better than old: "
    )
    failed = q.compare(read(), "old", "new", claim="better")
    assert failed.exit_code == 2
    assert failed.sentence.startswith("FAIL: old is not shown to be better than new. ")
    assert (
        "Their means are 0.84 and 0.75; on items new won 14, lost 5 and tied 81"
        in q.compare(read(), "new", "old").sentence
    )


def test_items_won_and_lost_with_mcnemars_test():
    """14 against 5 discordant items: R, mcnemar.exact, p = 0.06357."""
    found = q.compare(read(), "new", "old").difference
    assert found.items_won == (14, 5, 81)
    assert found.mcnemar == pytest.approx(binomtest(14, 19).pvalue)
    assert found.mcnemar == pytest.approx(0.06357, abs=1e-5)
    assert [one.gap for one in found.changed(7)] == [-1] * 5 + [1, 1]
    assert {one.item for one in found.changed(5)} == {"84", "85", "86", "87", "88"}
    assert difference(read([0.5, 1, 0.25], [0.25, 0.5, 0.5]), "new", "old").mcnemar is None


def test_what_pairing_gained():
    hard = [9.0, 2.0, 5.0, 7.0, 1.0, 6.0]
    new, old = [x + d for x, d in zip(hard, (1, 0.8, 1.1, 0.9, 1.2, 1.0), strict=True)], hard
    found = q.compare(read(new, old), "new", "old")
    both = pl.DataFrame({"new": new, "old": old})
    apart = both["new"].var() + both["old"].var()
    assert found.difference.pairing_gain == pytest.approx((apart / (both["new"] - both["old"]).var()) ** 0.5)
    assert "items of their own would make the interval" in found.sentence


def test_two_files_are_compared_in_their_order_and_a_claim_names_its_system(tmp_path):
    for name, scores in (("old", OLD), ("new", NEW)):
        pl.DataFrame({"item": range(100), "score": scores}).write_csv(tmp_path / f"{name}.csv")
    found = q.compare(tmp_path / "old.csv", tmp_path / "new.csv", claim="better")
    assert (found.a, found.supported) == ("old", False)
    with pytest.raises(InvalidInput, match='"better" is claimed of one system, not of whichever is ahead'):
        q.compare(read(), claim="better")


def test_the_action_runs_what_the_page_runs():
    """The command of the GitHub Action is the one of the page, whose blocks run."""
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "gate.md").read_text(encoding="utf-8")
    shell = page.split("```bash\n")[1].splitlines()[0]
    action = page.split("```yaml\n")[1].split("```")[0]
    assert f"- run: {shell}\n" in action
    assert [line.strip() for line in action.splitlines() if "report" not in line][-2:] == [
        '- run: cat verdict.md >> "$GITHUB_STEP_SUMMARY"', "if: always()"
    ]  # fmt: skip
