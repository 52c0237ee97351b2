from __future__ import annotations

import numpy as np
import pytest

from quorate.simulate import write_panel


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_panel(tmp_path_factory.mktemp("panel") / "panel.csv")


@pytest.mark.slow
def test_a_panel_of_three_systems(run, path):
    ran = run("judges", path)
    assert (ran.code, ran.err) == (2, "")
    assert ran.said.startswith(
        "Gemini (+0.578) and Llama (+0.73) are lenient and Claude (-0.651) and GPT (-0.683) are strict"
    )
    assert "Qwen alone would put Qwen first; the panel puts GPT first (possible)." in ran.said
    full = run("judges", path, "--full").said
    assert "Qwen > GPT > Llama" in full


def test_a_table_without_systems_or_generations(run, scores):
    ran = run("judges", scores)
    assert ran.code == 0
    assert "judge mean bias interval" in ran.said
    assert "self-preference" not in ran.said


@pytest.mark.slow
def test_groups_of_judges(run, path):
    said = "GPT=dear,Claude=dear,Gemini=dear,Llama=cheap,Qwen=cheap"
    ran = run("judges", path, "--group", said, "--only", "system=Llama", "--judge-price", "GPT=2", "--json")
    assert "judge Claude, Gemini, Llama, Qwen of the pilot has no price" in ran.json["groups"]["all"]["reason"]
    ran = run("judges", path, "--group", said, "--only", "system=Llama")
    assert (ran.code, ran.err) == (0, "")
    full = run("judges", path, "--group", said, "--only", "system=Llama", "--full").said
    assert "one of each" in full


@pytest.mark.wide(4)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--system colour", 'no facet "colour"'),
        ("--identity Qwen", "--identity: expects a pair such as gpt=GPT"),
        ("--identity Mistral=Qwen", 'no judge "Mistral"'),
        ("--facet judge=", "judge"),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    assert says in run("judges", path, *words.split()).refused()


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
    run("judges", path).refused()


def test_hostile_labels_stay_on_their_line(run, tmp_path):
    rows = [f'{i},"{judge}",{(i * 7 + at) % 5}' for i in range(8) for at, judge in enumerate(("<b>\x1b[31m", "=1+1"))]
    path = tmp_path / "scores.csv"
    path.write_text("item,judge,score\n" + "\n".join(rows) + "\n")
    ran = run("judges", path)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "=1+1" in ran.out


@pytest.fixture
def pilot(tmp_path):
    rng = np.random.default_rng(4)
    item, bias, noise = rng.normal(size=24), rng.normal(0, 0.4, 6), np.array([0.3, 0.3, 0.3, 0.3, 1.2, 0.3])
    lines = [
        f"{i},{name},{item[i] + bias[at] + noise[at] * rng.normal():.4f}"
        for i in range(24)
        for at, name in enumerate("abcdef")
    ]
    path = tmp_path / "pilot.csv"
    path.write_text("item,judge,score\n" + "\n".join(lines) + "\n")
    return path


PRICES = [word for name in "abcdef" for word in ("--judge-price", f"{name}={0.2 if name == 'a' else 0.01}")]


def test_a_dear_judge_and_a_noisy_one_must_earn_their_place(run, pilot):
    ran = run("plan", "--screen", pilot, "--budget", 3, *PRICES)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("Use ")
    assert " judges of 6, one per item" in ran.said
    assert "all judges on every item" in ran.said
    assert "a left out 0.20" in run("plan", "--screen", pilot, "--budget", 3, *PRICES, "--full").said
    assert "judges are taken to be as lenient with new items" in ran.said


def test_everything_as_json(run, pilot):
    found = run("plan", "--screen", pilot, "--half-width", 0.4, *PRICES, "--most", 3, "--json").json
    assert len(found["panel"]["judges"]) <= 3
    assert found["half_width"] <= 0.4
    assert {one["name"] for one in found["candidates"]} == set("abcdef")


def test_without_the_correction(run, pilot):
    ran = run("plan", "--screen", pilot, "--half-width", 0.8, "--uncorrected", "--fewest", 2)
    assert ran.code == 0
    assert "Subtract" not in ran.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "--budget, --half-width: exactly one is needed"),
        ("--budget 10 --half-width 1", "--budget, --half-width: exactly one is needed"),
        ("--budget 0", "budget: must be above 0"),
        ("--budget 10 --most 0", "most"),
        ("--budget 10 --generation judge", "judge"),
    ],
)
def test_screen_what_is_refused_in_one_line(run, pilot, words, says):
    assert says in run("plan", "--screen", pilot, *words.split()).refused()


def test_votes_are_answered_with_the_commands_that_look_at_their_judges(run, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,model_a,model_b,winner\n" + "".join(f"{i},x,y,model_{'ab'[i % 2]}\n" for i in range(20)))
    assert f"quorate rank {path} --position (does the first one shown win?)" in run("judges", path).refused()


def test_who_prefers_itself_is_said_first(run, tmp_path):
    rows = [
        f"{i},{system},{judge},{i % 5 + 2 * (system == judge == 'x') + (3 * i + 2 * s + j) % 7 / 10}"
        for i in range(40)
        for s, system in enumerate("xyz")
        for j, judge in enumerate("xyz")
    ]
    path = tmp_path / "scores.csv"
    path.write_text("item,system,judge,score\n" + "\n".join(rows) + "\n")
    ran = run("judges", path)
    assert ran.code == 2
    assert "x scores itself 2" in ran.said[:300]
