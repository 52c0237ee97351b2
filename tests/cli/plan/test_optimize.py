import json

import pytest

SAFETY = {
    "random": {
        "item": 0.0128183146,
        "item:prompt": 0.0017939978,
        "item:judge": 0.0250506911,
        "prompt:judge": 6.598746549e-4,
        "cell": 0.0051654426,
        "replicate": 0.0119788348,
    },
    "sensitivity": {"judge": 4.653511507e-4},
}
"""Messing (2026), safety; item and category together, as they are with one item per category."""
PAPER = "--items 20,30,50,75,100,141 --prompts 1-3,5 --judges 1-3 --replicates 1-3,5,8"


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "safety.json"
    path.write_text(json.dumps(SAFETY))
    return path


def test_the_published_frontier(run, published):
    words = f"--target-se 0.035733 {PAPER} --layouts factorial --own items=141,prompts=1,judges=1 --json"
    found = run("plan", published, *words.split())
    assert found.code == 0
    assert found.json["candidates"] == 360
    assert found.json["plan"]["design"] == {"item": 50, "prompt": 1, "judge": 2, "replicate": 1}
    assert found.json["plan"]["se"] == pytest.approx(0.035732, abs=5e-7)
    assert found.json["own"]["se"] == pytest.approx(0.039091, abs=5e-7)
    assert found.json["ranking"] is None


def test_the_sentence_and_the_tables(run, published):
    ran = run("plan", published, *f"--budget 141 {PAPER} --own items=141,prompts=1,judges=1".split())
    lines = ran.out.splitlines()
    said = " ".join(lines[:4])
    assert said.startswith(
        "Best of 480 designs for a budget of 141 calls: 141 items, 5 prompts, 3 judges, one prompt and judge per"
    )
    assert "141 calls. Half its 95% interval is ±0.0591, for prompts like these. The design at hand has too few" in said


def test_a_target_and_prices_by_judge(run, published):
    words = "--target-se 0.03 --items 20-141 --judges 1-3 --item-price 0.5 --prompt-price 2"
    prices = [f"--judge-price={name}" for name in ("dear=2.0", "cheap=.1", "fair=.2")]
    found = run("plan", published, *words.split(), *prices, "--json").json
    assert found["plan"]["se"] <= 0.03
    assert found["judges"] == ["cheap", "fair", "dear"][: found["plan"]["design"]["judge"]]
    shown = run("plan", published, *words.split(), *prices)
    assert "Judges to ask: cheap" in shown.out
    assert "$" in shown.out


@pytest.mark.slow
def test_a_file_of_scores_needs_no_limits(run, scores):
    ran = run("plan", scores, "--budget", 200, "--draws", 100, "--full")
    assert ran.code == 0
    assert "Of 100 pilots redrawn from this fit" in ran.out
    found = run("plan", scores, "--budget", 200, "--draws", 100, "--json").json
    assert found["plan"]["calls"] <= 200
    assert found["own"]["calls"] == 216
    assert found["ranking"]["draws"] == 100
    assert run("plan", scores, "--budget", 200, "--draws", 0, "--json").json["ranking"] is None


def test_a_half_width_is_that_of_the_plan(run, published):
    words = "--items 20-141 --judges 1-3 --prompts 1-5 --json"
    found = run("plan", published, "--half-width", "0.0588", *words.split()).json
    assert found["half_width"] == 0.0588
    plan = found["plan"]
    assert plan["half_width_95"] <= 0.0588 < 1.21 * 1.96 * plan["se"]  # few prompts: a fifth more than the normal one
    assert found["plan"]["design"]["prompt"] > 1  # with one prompt no data show how prompts vary


def test_k_judges_per_item(run, published):
    words = "--budget 141 --items 40,70 --judges 3 --layouts blocks --per-item 2 --json"
    plan = run("plan", published, *words.split()).json["plan"]
    assert (plan["layout"], plan["per_item"], plan["calls"]) == ("blocks", 2, 140)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "budget, target_se, half_width: exactly one is needed, got none"),
        (
            "--target-se 1 --half-width 1",
            "budget, target_se, half_width: exactly one is needed, got target_se, half_width",
        ),
        ("--half-width -1", "--half-width: must be a finite number above 0, got -1.0"),
        ("--budget 0.5", "budget: 0.5 buys no design within the limits; the cheapest costs 20"),
        ("--budget 100 --judges one", "--judges: expects numbers such as"),
        ("--budget 100 --price 1 --judge-price a=1", "--price: give it or --judge-price, not both"),
        ("--budget 100 --judge-price a=x", '--judge-price: a must be an amount such as 0.01, got "x"'),
        ("--budget 100 --own judges", "--own: expects a pair such as items=141,judges=3"),
        ("--budget 100 --target rater=panel", "rater"),
    ],
)
def test_what_is_refused_in_one_line(run, published, words, message):
    ran = run("plan", published, "--items", "20,50", *words.split())
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_published_components_need_items(run, published):
    ran = run("plan", published, "--budget", 100)
    assert ran.code == 1
    assert "limits: how many items are allowed is needed with published components" in ran.err


@pytest.mark.slow
def test_a_half_width_means_the_interval_that_analyze_shows(run, scores):
    """The study at hand is not enough for a little less than its own interval, and is for a little more."""
    analyzed = run("analyze", scores, "--json", "--no-report").json["others"]
    half = (analyzed["high"] - analyzed["low"]) / 2
    limits = {"items": 12, "prompts": 3, "judges": 3, "replicates": 2, "layouts": "factorial", "draws": 0}
    words = [word for name, value in limits.items() for word in (f"--{name}", value)]
    refused = run("plan", scores, "--half-width", half * 0.8, *words)
    assert "half_width: no design within the limits" in refused.err
    assert run("plan", scores, "--half-width", half * 1.01, *words).code == 0


def test_prices_of_other_judges_are_said(run, scores):
    ran = run("plan", scores, "--budget", 100, "--draws", 0, "--judge-price", "a=b c=0.5", "--judge-price", "x=1")
    assert ran.code == 0
    assert "Judges to ask: a=b c" in ran.out
    assert "prices by judge: some are of judges who did not judge here" in " ".join(ran.out.split())


def test_what_was_allowed_is_said(run, published):
    ran = run("plan", published, *f"--budget 141 {PAPER} --full".split())
    said = " ".join(ran.out.split())
    assert "Allowed: 20 to 141 items (the best has the most);" in said
    assert "1 to 3 judges (the best has the most)" in said
    assert "1 to 8 replicates; layouts" in said
    assert "layouts factorial, cyclic, latin" in said


@pytest.mark.parametrize("price", ["gpt", "=1", "gpt=", "gpt=1 --judge-price gpt=2"])
def test_prices_that_name_no_judge(run, published, price):
    ran = run("plan", published, "--budget", 100, "--items", "20", *f"--judge-price {price}".split())
    assert ran.code == 1
    assert "--judge-price: expects a judge and a price such as gpt=0.01, each judge once" in ran.err


def test_draws_of_published_components_are_refused(run, tmp_path):
    path = tmp_path / "published.json"
    path.write_text('{"random": {"item": 0.01, "item:judge": 0.02, "cell": 0.03}}', encoding="utf-8")
    ran = run("plan", path, "--budget", 200, "--items", "10-50", "--judges", "1-3", "--draws", 10)
    assert ran.code == 1
    assert ran.err == (
        "quorate: --draws: pilots are redrawn from scores as numbers that were fitted here, not with --link or from "
        "components of a file; leave it out\n"
    )


def test_what_is_paid_for_is_not_bought_again(run, scores, published):
    words = ["--budget", "100", "--layouts", "factorial", "--draws", "0"]
    found = run("plan", scores, *words, "--have", scores, "--json").json
    assert (found["own"]["cost"], found["own"]["reused"]) == (0, 216)
    assert found["plan"]["cost"] == found["plan"]["calls"] - found["plan"]["reused"] <= 100 < found["plan"]["calls"]
    said = " ".join(run("plan", scores, *words, "--have", scores).out.split())
    there, calls = found["plan"]["reused"], found["plan"]["calls"]
    assert f"That is for {calls - there} of its {calls} calls: {there} are there. Its interval is" in said
    assert "reused" in said
    planned = run("plan", published, *words[:4], "--items", 24, "--judges", 3, "--prompts", 3, "--have", scores)
    assert planned.code == 1
    assert "budget: 100 buys no design within the limits; the cheapest costs 108" in planned.err
    reading = ["--score", "score"]
    assert run("plan", published, *words[:4], "--items", 12, "--have", scores, *reading).code == 0


def test_of_two_systems_the_difference_is_planned_and_of_three_that_of_the_closest(run, tmp_path, crossed):
    """With a target of systems it is the mean over all, and a budget that buys no more names the way out."""
    rows = {"y": 0, "x": 1, "z": 5}
    lines = ["system,item,judge,score"]
    lines += [f"{s},{i},{j},{up + i % 3 + (i * j) % 4}" for s, up in rows.items() for i in range(12) for j in range(3)]
    three, two = tmp_path / "three.csv", tmp_path / "two.csv"
    three.write_text("\n".join(lines))
    two.write_text("\n".join(line for line in lines if line[0] != "z").replace("x,11,2,", "x,11,2,1"))
    found = run("plan", two, "--budget", 1000, "--draws", 0)
    said = " ".join(found.out.split())
    assert "of the difference of x and y" in said
    assert "allow more with --items 2-96" in said
    board = run("plan", three, "--budget", 100, "--draws", 0, "--target", "system=panel")
    assert "of the difference" not in board.out
    assert run("plan", "--design", two, "--json").json[0]["projection"]["calls"] == 72
