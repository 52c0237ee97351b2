from __future__ import annotations

import numpy as np
import pytest


def test_items_for_a_difference_without_a_file(run):
    found = run("plan", "--rates", ".70,.72", "--correlation", ".5", "--json")
    assert (found.code, found.json["items"], found.json["calls"]) == (0, 5410, 10820)
    shown = run("plan", "--rates", ".70", "--effect", ".02")
    assert "takes 5,410 items that both systems answer" in " ".join(shown.out.split())
    assert "state what they are with --correlation" in " ".join(shown.out.split())
    assert shown.out.splitlines()[-1].split()[1:] == ["1", "1", "2,707", "5,414"]
    assert run("plan", "--sd", "1", "--half-width", ".05", "--json").json["systems"] == 1


def test_a_share_against_a_bar(run):
    seen = run("plan", "--bar", ".9", "--seen", "47/50")
    assert seen.code == 2
    assert "47 of 50 is 94.0%" in seen.out
    assert run("plan", "--bar", ".9", "--seen", "80/100", "--json").code == 0
    assert run("plan", "--bar", ".9", "--rates", ".94", "--json").json["needed"] == 526


def test_from_a_pilot(run, tmp_path):
    rng = np.random.default_rng(1)
    lines = ["system,item,judge,score"]
    lines += [f"{s},{i},{j},{i % 3 + rng.normal():.3f}" for s in "xy" for i in range(12) for j in range(3)]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(lines))
    found = run("plan", path, "--effect", ".5", "--json")
    assert (found.code, found.json["assumed"]) == (0, 0.5)
    assert run("plan", path, "--effect", "1", "--json").json["plan"]["calls"] < found.json["plan"]["calls"]
    shown = run("plan", path, "x", "y", "--effect", ".5")
    assert "if the difference is 0.5." in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--effect .2", "--rates: give the rates of 0/1 scores, or --sd of scores; exactly one of them"),
        ("--rates .7,.8,.9", "--rates: expects a number or two, such as .7,.72"),
        ("--sd one", "--sd: expects a number or two"),
        ("--sd 1 --effect .2 --spread 3", "--spread: expects a role with each number, such as judge=.03"),
        ("--bar .9 --seen half", "--seen: expects right answers of all of them, such as 47/50"),
        ("--sd 1 --effect .2 --seen 4/5", "--seen: is for --bar"),
        ("--bar .9 --rates .95 --judges 3", "--judges: is not for --bar"),
        ("--sd 1 --effect .2 --target judge=panel", "--target: is for a pilot; name its file"),
        ("{scores} --effect .2 --sd 1", "--sd: is said by the pilot; leave it out, or the file"),
        ("{scores} --bar .9", "--bar: is said by the pilot"),
    ],
)
def test_what_is_refused_in_one_line(run, scores, words, message):
    ran = run("plan", *(word.format(scores=scores) for word in words.split()))
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
