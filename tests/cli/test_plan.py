from __future__ import annotations

import json

import numpy as np
import pytest

import quorate as q

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


@pytest.mark.slow
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
        ("", "--budget, --target-se, --half-width: exactly one is needed, got none"),
        (
            "--target-se 1 --half-width 1",
            "--budget, --target-se, --half-width: exactly one is needed, got target_se, half_width",
        ),
        ("--budget 0.5", "budget: 0.5 buys no design within the limits; the cheapest costs 20"),
        ("--budget 100 --judge-price a=x", '--judge-price: a must be an amount such as 0.01, got "x"'),
        ("--budget 100 --own judges", "--own: expects a pair such as items=141,judges=3"),
        ("--budget 100 --target rater=panel", "rater"),
    ],
)
def test_what_is_refused_in_one_line(run, published, words, message):
    assert message in run("plan", published, "--items", "20,50", *words.split()).refused()


def test_published_components_need_items(run, published):
    refused = run("plan", published, "--budget", 100).refused()
    assert "limits: how many items are allowed is needed with published components" in refused


@pytest.mark.slow
def test_a_half_width_means_the_interval_that_analyze_shows(run, scores):
    """The study at hand is not enough for a little less than its own interval, and is for a little more."""
    analyzed = run("analyze", scores, "--json", "--no-report").json["others"]
    half = (analyzed["high"] - analyzed["low"]) / 2
    limits = {"items": 12, "prompts": 3, "judges": 3, "replicates": 2, "layouts": "factorial", "draws": 0}
    words = [word for name, value in limits.items() for word in (f"--{name}", value)]
    refused = run("plan", scores, "--half-width", half * 0.8, *words)
    assert "--half-width: no design within the limits reaches" in refused.err
    wider = "--items 12-24 --prompts 3-6 --judges 3-6 --replicates 2-4"
    assert f"allow more with {wider}, or ask for these judges alone with --target judge=panel" in refused.err
    assert run("plan", scores, "--half-width", half * 1.01, *words).code == 0


def test_prices_of_other_judges_are_said(run, scores):
    ran = run("plan", scores, "--budget", 100, "--draws", 0, "--judge-price", "a=b c=0.5", "--judge-price", "x=1")
    assert ran.code == 0
    assert "Judges to ask: a=b c" in ran.out
    assert "prices by judge: some are of judges who did not judge here" in ran.said


def test_what_was_allowed_is_said(run, published):
    ran = run("plan", published, *f"--budget 141 {PAPER} --full".split())
    assert "Allowed: 20 to 141 items (the best has the most);" in ran.said
    assert "1 to 3 judges (the best has the most)" in ran.said
    assert "1 to 8 replicates; layouts" in ran.said
    assert "layouts factorial, cyclic, latin" in ran.said


@pytest.mark.parametrize("price", ["gpt", "=1", "gpt=", "gpt=1 --judge-price gpt=2"])
def test_prices_that_name_no_judge(run, published, price):
    refused = run("plan", published, "--budget", 100, "--items", "20", *f"--judge-price {price}".split()).refused()
    assert "--judge-price: expects a judge and a price such as gpt=0.01, each judge once" in refused


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
    said = run("plan", scores, *words, "--have", scores).said
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
    assert "of the difference of x and y" in found.said
    assert "allow more with --items 2-96" in found.said
    board = run("plan", three, "--budget", 100, "--draws", 0, "--target", "system=panel")
    assert "of the difference" not in board.out
    assert run("plan", "--design", two, "--json").json[0]["projection"]["calls"] == 72


PROJECT_SAFETY = {
    "random": {"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120, "prompt:judge": 6.6e-4},
    "sensitivity": {"judge": 4.65e-4},
}


@pytest.fixture
def project_published(tmp_path):
    path = tmp_path / "safety.json"
    path.write_text(json.dumps(PROJECT_SAFETY))
    return path


def test_published_components_give_the_paper_s_formula(run, project_published):
    """Messing (2026), Eq. 3."""
    words = "--items 141 --judges 3 --prompts 5 --replicates 2 --price 0.01 --json"
    ran = run("plan", "--design", project_published, *words.split())
    variance = 0.0104 / 141 + 0.0251 / 423 + 0.0120 / 4230 + 6.6e-4 / 15 + 4.65e-4 / 3
    assert ran.code == 0
    assert ran.json["se"] == pytest.approx(variance**0.5, rel=1e-9)
    assert (ran.json["calls"], ran.json["cost"]) == (4230, pytest.approx(42.3))


def test_published_components_need_a_design(run, project_published):
    ran = run("plan", "--design", project_published)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("quorate: --items: the number of items is needed")


@pytest.mark.slow
def test_a_design_is_shown_beside_the_one_at_hand(run, scores):
    ran = run("plan", "--design", scores, "--items", 24, "--layout", "cyclic", "--price", "2000")
    for row in ("items 12 24", "layout factorial cyclic", "calls 216 144"):
        assert row in ran.said
    full = run("plan", "--design", scores, "--items", 24, "--full").said
    assert "Facets stand for: item, prompt, judge = population" in full


def test_without_a_design_changes_are_shown(run, scores):
    ran = run("plan", "--design", scores)
    assert ran.code == 0
    assert " 216\n" in ran.out
    assert "double the items" in ran.out
    listed = run("plan", "--design", scores, "--json").json
    assert [change["label"] for change in listed][:2] == ["as it is", "double the items"]
    assert listed[1]["projection"]["se"] < listed[0]["projection"]["se"]
    assert listed[1]["more_calls"] == 216


@pytest.mark.slow
def test_what_is_not_known_is_said_with_its_reason(run, tmp_path, scores):
    lines = scores.read_text().splitlines()
    path = tmp_path / "once.csv"
    path.write_text("\n".join(line for line in lines if ",1," not in line))
    ran = run("plan", "--design", path)
    assert ran.code == 0
    assert "one more replicate" in ran.out
    assert "this design weighs" in run("plan", "--design", path, "--full").said


@pytest.mark.slow
def test_targets_change_the_standard_error(run, scores):
    def se(*words):
        return run("plan", "--design", scores, "--items", 12, "--json", *words).json["se"]

    panel, pool, population = (se("--target", f"judge={text}") for text in ("panel", "pool(10)", "population"))
    assert panel < pool < population == se()


@pytest.mark.slow
def test_the_same_change_has_the_same_standard_error_in_analyze(run, scores):
    changes = [run(*command, scores, "--json").json for command in (["plan", "--design"], ["analyze"])]
    mine, theirs = changes[0], changes[1]["what_if"]
    assert [row["label"] for row in mine] == [row["label"] for row in theirs]
    assert mine[0]["projection"]["se"] == changes[1]["others"]["se"]
    assert [row["change"] for row in mine] == pytest.approx([row["change"] for row in theirs])


def test_the_panel_is_answered_for_where_it_is_asked_for(run, scores):
    ran = run("plan", "--design", scores, "--target", "judge=panel")
    assert "for prompts like these, with these 3 judges" in ran.said


@pytest.mark.slow
def test_one_judge_stands_for_itself(run, tmp_path, crossed):
    path = tmp_path / "one.csv"
    path.write_text(crossed(judges=("a",)))
    ran = run("plan", "--design", path)
    assert "for prompts like these. " in ran.out


@pytest.mark.wide(6)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--items 0", "items: must be a whole number from 1 to 1,000,000,000, got 0"),
        ("--items many", "invalid value for '--items'"),
        ("--levels prompt=x", '--levels: prompt must be a whole number, got "x"'),
        ("--levels prompt", "--levels: expects a pair such as annotator=4"),
        ("--target judge=pool(1)", "judge: a pool of 1 cannot hold the 3 levels"),
        ("--layout spiral", "invalid value for '--layout'"),
        ("--layout blocks", "--per-item: is needed with --layout blocks"),
    ],
)
def test_a_design_that_cannot_be_is_one_line(run, scores, words, says):
    assert says in run("plan", "--design", scores, *words.split()).refused()


MODELS = [
    ("--random item --random item:judge", {"random": ["item", "item:judge"]}),
    ("--covariate prompt", {"covariates": ["prompt"]}),
    ("--residual-by judge", {"residual_by": "judge"}),
    ("--method ml", {"method": "ml"}),
]


@pytest.mark.parametrize(("words", "model"), MODELS)
@pytest.mark.slow
def test_plans_are_by_the_model_that_is_asked_for(run, scores, words, model):
    fit = q.decompose(q.read(scores, announce=False), **model)
    wanted = q.project(fit, items=24, targets={"judge": "panel"})
    asked = f"{words} --target judge=panel --json".split()
    assert run("plan", "--design", scores, "--items", 24, *asked).json["se"] == pytest.approx(wanted.se, rel=1e-12)


@pytest.mark.slow
def test_the_design_to_buy_is_by_noise_of_each_judge(run, scores):
    fit = q.decompose(q.read(scores, announce=False), residual_by="judge")
    wanted = q.project(fit, items=24, targets={"judge": "panel"})
    limits = {"items": "24", "judges": "3", "prompts": "3", "replicates": "2", "layouts": "factorial", "draws": "0"}
    others = [word for name, value in limits.items() for word in (f"--{name}", value)]
    asked = ["--residual-by", "judge", "--target", "judge=panel", "--json"]
    found = run("plan", scores, "--target-se", 1, *others, "--own", "items=24", *asked).json
    assert found["own"]["se"] == pytest.approx(wanted.se, rel=1e-12)


@pytest.mark.parametrize("words", ["--random item", "--covariate prompt", "--residual-by judge", "--method ml"])
def test_published_components_have_no_model_to_fit(run, project_published, words):
    ran = run("plan", "--design", project_published, "--items", 10, *words.split())
    assert ran.code == 1
    assert (
        f"quorate: {words.split()[0]}: for judgments, and {project_published} holds components; leave it out" in ran.err
    )


def test_categories_of_unequal_size_and_what_they_count_for(run, tmp_path):
    path = tmp_path / "skills.json"
    path.write_text(json.dumps({"random": {"item": 0.4, "category": 0.1}}))
    source, words = q.components({"item": 0.4, "category": 0.1}), ["plan", "--design", path, "--items", 100, "--json"]
    named = [*words, "--category-items", "math=60,code=30,chat=10"]
    sizes, shares = {"math": 60, "code": 30, "chat": 10}, {"chat": 0.2, "math": 0.5, "code": 0.3}
    left = q.project(source, items=100, category_items=sizes)
    asked = q.project(source, items=100, category_items=sizes, category_shares=shares)
    assert run(*named).json["se"] == pytest.approx(left.se)
    assert run(*named, "--category-shares", "chat=.2,math=.5,code=.3").json["se"] == pytest.approx(asked.se)
    unnamed = run(*words, "--category-items", "60,30,10", "--category-shares", ".5,.3,.2")
    assert unnamed.json["half_width_95"] == pytest.approx(asked.half_width)


def test_log_odds_of_few_values_and_options_that_are_not_for_them(run, tmp_path):
    path = tmp_path / "shares.csv"
    rows = [f"{item},{judge},{int((7 * item + 3 * judge) % 5 > 1)}" for item in range(20) for judge in range(3)]
    path.write_text("\n".join(["item,judge,score", *rows]))
    fit = q.decompose(q.read(path, announce=False), link="logit", method="pirls")
    ran = run("plan", "--design", path, "--link", "logit", "--items", 40, "--json")
    assert ran.json["half_width_95"] == pytest.approx(q.project(fit, items=40).half_width)
    refused = run("plan", "--design", path, "--link", "logit", "--method", "ml", "--items", 40)
    assert refused.err.startswith("quorate: --method: with a link, one of 'laplace', 'pirls' is needed")


def test_items_for_a_difference_without_a_file(run):
    found = run("plan", "--rates", ".70,.72", "--correlation", ".5", "--json")
    assert (found.code, found.json["items"], found.json["calls"]) == (0, 5410, 10820)
    shown = run("plan", "--rates", ".70", "--effect", ".02")
    assert "takes 5,410 items that both systems answer" in shown.said
    assert "state what they are with --correlation" in shown.said
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
    assert "if the difference is 0.5." in shown.said


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
def test_effect_size_what_is_refused_in_one_line(run, scores, words, message):
    assert message in run("plan", *(word.format(scores=scores) for word in words.split())).refused()
