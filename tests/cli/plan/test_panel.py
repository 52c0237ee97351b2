from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.cli.console import console
from quorate.cli.plan.panel import show_components, show_sharing, show_strategies, show_tests, show_validation
from quorate.simulate import panel_table, write_panel
from quorate.simulate.strategies import validate_strategies


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_panel(tmp_path_factory.mktemp("panel") / "panel.csv")


@pytest.mark.slow
def test_a_panel_of_three_systems(run, path):
    ran = run("judges", path)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (2, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert said.startswith(
        "Gemini (+0.578) and Llama (+0.73) are lenient and Claude (-0.651) and GPT (-0.683) are strict"
    )
    assert "Qwen 673 4, 316 < 1e-15" in said
    assert "Llama 8.637 0.730 0.692 to 0.768 lenient 0.090 0.840 1.260" in said
    assert "Qwen alone would put Qwen first; the panel puts GPT first (possible)." in said
    assert "Qwen Qwen > GPT > Llama -0.33" in said
    assert "Qwen scores itself 1.63 higher" in said
    assert "Qwen 0.162 0.161 0.153 At 5 calls per item." in said
    assert "Redrawn studies" not in said


@pytest.mark.slow
def test_redrawn_studies_on_request(run, path):
    ran = run("judges", path, "--validate", "--json")
    checks = ran.json["validation"]["Qwen"]["checks"]
    assert len(checks) == 12
    assert all(abs(one["empirical"] - one["predicted"]) < 4.5 * one["error"] for one in checks)


def test_a_table_without_systems_or_generations(run, scores):
    ran = run("judges", scores)
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "Bias: each judge less the panel" in said
    assert "Sharing the calls out, for this panel" in said
    assert "Not shown - crossed: " in said
    assert "self-preference" not in said


@pytest.mark.slow
def test_prices_and_identities(run, path):
    ran = run("judges", path, "--price", 0.01, "--generation-price", 0.1, "--identity", "Qwen=Qwen", "--json")
    assert [row["judge"] for row in ran.json["self_preference"]["rows"]] == ["Qwen"]
    assert ran.json["strategies"]["Qwen"]["rows"][0]["projection"]["cost"] == pytest.approx(80 * 5 * 0.11)


@pytest.mark.slow
def test_groups_of_judges(run, path):
    said = "GPT=dear,Claude=dear,Gemini=dear,Llama=cheap,Qwen=cheap"
    ran = run("judges", path, "--group", said, "--only", "system=Llama", "--judge-price", "GPT=2", "--json")
    assert "judge Claude, Gemini, Llama, Qwen of the pilot has no price" in ran.json["groups"]["all"]["reason"]
    ran = run("judges", path, "--group", said, "--only", "system=Llama")
    out = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert "Groups of judges cheap (" in out
    assert "judges of one group alone this much of its precision: " in out
    assert "one of each 2" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--system colour", 'no facet "colour"'),
        ("--generation colour", 'no facet "colour"'),
        ("--generation judge", 'generation: "judge" is no response'),
        ("--identity Qwen", "--identity: expects a pair such as gpt-5=GPT-5"),
        ("--identity Mistral=Qwen", 'no judge "Mistral"'),
        ("--level 2", "level: must lie between 0 and 1"),
        ("--price -1", "prices: call must be a finite amount"),
        ("--facet judge=", "judge"),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    ran = run("judges", path, *words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no columns"),
        ("item,judge,score\n1,a,3\n2,a,4\n", "1 judge: at least 2 are needed"),
        ("item,judge,score\n1,a,3\n1,b,4\n", "fewer than 2"),
    ],
)
def test_files_without_a_panel(run, tmp_path, content, says):
    path = tmp_path / "scores.csv"
    path.write_text(content)
    ran = run("judges", path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)


def test_hostile_labels_stay_on_their_line(run, tmp_path):
    rows = [f'{i},"{judge}",{(i * 7 + at) % 5}' for i in range(8) for at, judge in enumerate(("<b>\x1b[31m", "=1+1"))]
    path = tmp_path / "scores.csv"
    path.write_text("item,judge,score\n" + "\n".join(rows) + "\n")
    ran = run("judges", path)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "=1+1" in ran.out


def interacting(systems=("one",), seed=5):
    """Judges that differ by item: 12 items, 4 generations, 3 judges."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=(len(systems), 12, 1, 3)) + 0.5 * rng.normal(size=(len(systems), 12, 4, 3)) + [-0.4, 0, 0.4]
    where = np.indices(score.shape).reshape(4, -1).tolist()
    columns = dict(zip(("system", "item", "generation", "judge"), where, strict=True))
    frame = pl.DataFrame({**columns, "score": score.ravel()})
    return frame.with_columns(pl.col("system").replace_strict(dict(enumerate(systems)), return_dtype=pl.String))


def said(capsys, show, *arguments):
    capsys.readouterr()
    show(console(), *arguments)
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture(scope="module")
def single():
    return q.panel(q.read(interacting(), announce=False), resamples=200)


@pytest.fixture(scope="module")
def several():
    return q.panel(q.read(interacting(("one", "paper", "rival", "two")), announce=False), resamples=200)


def test_both_models_where_they_disagree(capsys, single, several):
    assert single.crossed["all"].disagree
    shown = said(capsys, show_components, single)
    assert "separated as published" in shown
    assert "item:judge" in shown
    assert "The two models differ in alpha, beta, judge effect: judges differ by item" in shown
    shown = said(capsys, show_components, several)
    assert "system item generation judge residual item:judge one" in shown
    assert (
        "As published, with item x judge pooled into the residual: system item generation judge residual one" in shown
    )


def test_one_model_where_they_agree(capsys):
    frame = pl.DataFrame(panel_table()).filter(pl.col("system") == "Qwen")
    shown = said(capsys, show_components, q.panel(q.read(frame, announce=False), resamples=200))
    assert "separated" in shown
    assert "published" not in shown


def test_tests_in_words_for_one_system_and_as_a_table_for_several(capsys, single, several):
    shown = said(capsys, show_tests, single)
    assert shown.startswith("- F(2, 22) = ")
    assert "as published: F(2, 94) = " in shown
    shown = said(capsys, show_tests, several)
    assert shown.startswith("Do judges differ? system F df p as published one ")


def test_sharing_by_budget_for_one_system_and_by_system_for_several(capsys, single, several):
    assert "calls per item all judges random judge cyclic 3 " in said(capsys, show_strategies, single)
    assert "system all judges random judge cyclic one " in said(capsys, show_strategies, several)
    shown = said(capsys, show_sharing, single)
    assert "one judge in turn for 36 items x 4 generations" in shown
    shown = said(capsys, show_sharing, several)
    assert "Standard errors; calls 144, 48, 48, 144." in shown


def test_redrawn_studies(capsys, single):
    found = validate_strategies(single.judgments, repetitions=200, rng=1)
    assert "strategy calls variance ± MC predicted all judges 3" in said(capsys, show_validation, {"all": found})
    shown = said(capsys, show_validation, {"one": found, "two": found})
    assert shown.startswith("Redrawn studies - one: 200 redrawn studies")
    assert said(capsys, show_validation, {}) == ""
