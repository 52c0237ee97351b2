"""`quorate assign --after`: the API's figures, and battles that come back as votes with their propensities."""

import csv
import json

import quorate as q


def test_battles_are_drawn_and_written(run, tmp_path):
    path, out = tmp_path / "votes.csv", tmp_path / "next.csv"
    rows = [("x", "y", "model_a"), ("x", "z", "model_a"), ("y", "z", "model_b"), ("x", "y", "model_b")] * 10
    path.write_text("model_a,model_b,winner\n" + "\n".join(map(",".join, rows)))
    options = {"criterion": "D", "floor": 0.3, "horizon": 60}
    plan = q.votes.next_battles(q.read_votes(path, announce=False), 30, **options, systems=("new",))
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    words = ("assign", "--after", path, "--number", 30, *given, "--system", "new")
    ran = run(*words, "--out", out)
    assert plan.sentence in " ".join(ran.out.split())
    with out.open() as file:
        written = list(csv.DictReader(file))
    assert [float(row["propensity"]) for row in written] == plan.battles()["propensity"]
    found = json.loads(run(*words, "--json").out)
    assert found["equal"] == plan.equal
    out.write_text(
        "system_a,system_b,winner,propensity\n"
        + "\n".join(f"{row['system_a']},{row['system_b']},tie,{row['propensity']}" for row in written)
    )
    votes = q.read_votes(out, announce=False)
    assert "propensity" in votes.names
