import json

import pytest

import quorate as q

SAFETY = {
    "random": {"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120, "prompt:judge": 6.6e-4},
    "sensitivity": {"judge": 4.65e-4},
}


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "safety.json"
    path.write_text(json.dumps(SAFETY))
    return path


def test_published_components_give_the_paper_s_formula(run, published):
    """Messing (2026), Eq. 3."""
    words = "--items 141 --judges 3 --prompts 5 --replicates 2 --price 0.01 --json"
    ran = run("plan", "--design", published, *words.split())
    variance = 0.0104 / 141 + 0.0251 / 423 + 0.0120 / 4230 + 6.6e-4 / 15 + 4.65e-4 / 3
    assert ran.code == 0
    assert ran.json["se"] == pytest.approx(variance**0.5, rel=1e-9)
    assert (ran.json["calls"], ran.json["cost"]) == (4230, pytest.approx(42.3))


def test_published_components_need_a_design(run, published):
    ran = run("plan", "--design", published)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("quorate: --items: the number of items is needed")


def test_a_design_is_shown_beside_the_one_at_hand(run, scores):
    ran = run("plan", "--design", scores, "--items", 24, "--layout", "cyclic", "--price", "2000")
    said = " ".join(ran.out.split())
    for row in ("items 12 24", "layout factorial cyclic", "calls 216 144"):
        assert row in said
    full = " ".join(run("plan", "--design", scores, "--items", 24, "--full").out.split())
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


def test_what_is_not_known_is_said_with_its_reason(run, tmp_path, scores):
    lines = scores.read_text().splitlines()
    path = tmp_path / "once.csv"
    path.write_text("\n".join(line for line in lines if ",1," not in line))
    ran = run("plan", "--design", path)
    assert ran.code == 0
    assert "one more replicate" in ran.out
    assert "this design weighs" in " ".join(run("plan", "--design", path, "--full").out.split())


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
    assert mine[0]["projection"]["se"] == changes[1]["population"]["se"]
    assert [row["change"] for row in mine] == pytest.approx([row["change"] for row in theirs])


def test_the_panel_is_answered_for_where_it_is_asked_for(run, scores):
    ran = run("plan", "--design", scores, "--target", "judge=panel")
    assert "for prompts like these, with these 3 judges" in " ".join(ran.out.split())


def test_one_judge_stands_for_itself(run, tmp_path, crossed):
    path = tmp_path / "one.csv"
    path.write_text(crossed(judges=("a",)))
    ran = run("plan", "--design", path)
    assert "for prompts like these. " in ran.out


def test_every_design_option_is_used(run, scores):
    words = "--items 30 --prompts 2 --judges 4 --replicates 3 --layout blocks --per-item 2 --json"
    ran = run("plan", "--design", scores, *words.split())
    assert ran.json["design"] == {"item": 30, "prompt": 2, "judge": 4, "replicate": 3}
    assert ran.json["calls"] == 30 * 2 * 2 * 3
    levels = run("plan", "--design", scores, "--levels", "prompt=2", "--json").json
    assert levels["design"]["prompt"] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--items 0", "items: must be a whole number from 1 to 1,000,000,000, got 0"),
        ("--items many", "invalid value for '--items'"),
        ("--levels rater=3", 'no term "rater"'),
        ("--levels prompt=x", '--levels: prompt must be a whole number, got "x"'),
        ("--levels prompt", "--levels: expects a pair such as annotator=4"),
        ("--target rater=panel", 'no facet "rater"'),
        ("--target judge=all", "judge: the target must be one of"),
        ("--target judge=pool(1)", "judge: a pool of 1 cannot hold the 3 levels"),
        ("--layout spiral", "invalid value for '--layout'"),
        ("--layout blocks", "--per-item: is needed with --layout blocks"),
        ("--layout blocks --per-item 9", "--per-item: must be between 1"),
        ("--price -1", "prices: call must be a finite amount"),
    ],
)
def test_a_design_that_cannot_be_is_one_line(run, scores, words, says):
    ran = run("plan", "--design", scores, *words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith("quorate: ")
    assert says in ran.err


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
    limits = {"items": "24", "judges": "3", "prompts": "3", "replicates": "2", "layouts": "factorial", "draws": "0"}
    others = [word for name, value in limits.items() for word in (f"--{name}", value)]
    found = run("plan", scores, "--target-se", 1, *others, "--own", "items=24", *asked).json
    assert found["own"]["se"] == pytest.approx(wanted.se, rel=1e-12)


@pytest.mark.parametrize("words", ["--random item", "--covariate prompt", "--residual-by judge", "--method ml"])
def test_published_components_have_no_model_to_fit(run, published, words):
    ran = run("plan", "--design", published, "--items", 10, *words.split())
    assert ran.code == 1
    assert f"quorate: {words.split()[0]}: for judgments, and {published} holds components; leave it out" in ran.err


@pytest.mark.parametrize("words", ["plan --design", "plan --design --items 24", "plan --budget 100 --draws 0"])
def test_plans_have_reports(run, scores, tmp_path, words):
    page, plain = tmp_path / "plan.md", tmp_path / "plan.json"
    ran = run(*words.split(), scores, "--report", page, "--report", plain)
    assert ran.code == 0
    assert f"Report: {page}" in ran.out.replace("\n", "")
    assert "half a 95% interval" in page.read_text()
    assert json.loads(plain.read_text())
    assert "--report: " in run(*words.split(), scores, "--report", tmp_path / "plan.pdf").err


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
