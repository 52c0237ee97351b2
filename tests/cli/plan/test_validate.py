from __future__ import annotations

import quorate as q


def test_plans_are_drawn_printed_and_written(run, crossed, tmp_path):
    (tmp_path / "scores.csv").write_text(crossed(items=24))
    options = ("--budgets", "12,36", "--runs", "4", "--seed", "3")
    ran = run("validate", "scores.csv", *options, "--report", "page.md")
    assert (ran.code, ran.err) == (0, "")
    wanted = q.scores.validate(q.read("scores.csv", announce=False), [12, 36], runs=4, rng=3)
    assert " ".join(ran.out.split()).startswith(wanted.sentence)
    assert "A pilot asks for" in ran.out
    assert wanted.sentence in (tmp_path / "page.md").read_text()
    found = run("validate", "scores.csv", *options, "--json").json
    assert [one["rmse"] for one in found["cells"]] == [one.rmse for one in wanted.cells]
    assert 'plans: one of naive, standard, optimal is needed, got "best"' in (
        run("validate", "scores.csv", *options, "--plans", "best").err.replace("'", '"')
    )
