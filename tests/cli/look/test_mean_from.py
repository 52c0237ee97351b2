from __future__ import annotations

import pytest

import quorate as q


@pytest.fixture(scope="module")
def files(crossed, tmp_path_factory):
    """A crossed pilot, and production in which every item meets one judge in turn."""
    folder = tmp_path_factory.mktemp("mean-from")
    (folder / "pilot.csv").write_text(crossed())
    head, *lines = crossed(items=30).splitlines()
    turn = dict(zip("abc", range(3), strict=True))
    kept = [one for one in lines if int(one.split(",")[0][1:]) % 3 == turn[one.split(",")[1]]]
    (folder / "production.csv").write_text("\n".join([head, *kept]) + "\n")
    return folder / "production.csv", folder / "pilot.csv"


@pytest.mark.slow
def test_the_mean_by_a_pilot_is_printed_written_and_plain(run, files, tmp_path):
    production, pilot = files
    page = tmp_path / "mean.md"
    ran = run("analyze", production, "--pilot", pilot, "--report", page)
    assert (ran.code, ran.err) == (0, "")
    fit, table = q.decompose(q.read(pilot, announce=False)), q.read(production, announce=False)
    wanted = q.scores.mean_from(table, fit, targets={"judge": "population"})
    said = " ".join(ran.out.split())
    assert said.startswith(wanted.sentence)
    assert "production, by the pilot" in said
    assert wanted.sentence in page.read_text()
    found = run("analyze", production, "--pilot", pilot, "--target", "judge=panel", "--level", "0.9", "--json").json
    assert [found["estimate"][end] for end in ("low", "high")] == pytest.approx(
        q.scores.mean_from(table, fit, level=0.9).estimate.ends
    )
    assert {one["facet"]: one["target"] for one in found["levels"]}["judge"] == "panel"


def test_a_pilot_without_the_columns_is_named(run, files, tmp_path):
    production, pilot = files
    (tmp_path / "other.csv").write_text(pilot.read_text().replace("score", "zebra"))
    refused = run("analyze", production, "--pilot", "other.csv", "--score", "score").err
    assert "--pilot: other.csv is read as the production file is, and " in refused
    lines = pilot.read_text().splitlines()
    kept = [one.split(",") for one in lines if ",y," not in one and ",z," not in one]
    (tmp_path / "short.csv").write_text("\n".join(",".join([*one[:2], *one[3:]]) for one in kept) + "\n")
    assert 'the pilot has no facet "prompt"' in run("analyze", production, "--pilot", "short.csv").err
