from __future__ import annotations

import pytest

from quorate.simulate import write_panel


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_panel(tmp_path_factory.mktemp("panel") / "panel.csv")


def test_a_panel_of_three_systems(run, path):
    ran = run("panel", path)
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


def test_redrawn_studies_on_request(run, path):
    ran = run("panel", path, "--validate", "--json")
    checks = ran.json["validation"]["Qwen"]["checks"]
    assert len(checks) == 12
    assert all(abs(one["empirical"] - one["predicted"]) < 4.5 * one["error"] for one in checks)


def test_a_table_without_systems_or_generations(run, scores):
    ran = run("panel", scores)
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "Bias: each judge less the panel" in said
    assert "Sharing the calls out, for this panel" in said
    assert "Not shown - crossed: " in said
    assert "self-preference" not in said


def test_prices_and_identities(run, path):
    ran = run("panel", path, "--price", 0.01, "--generation-price", 0.1, "--identity", "Qwen=Qwen", "--json")
    assert [row["judge"] for row in ran.json["self_preference"]["rows"]] == ["Qwen"]
    assert ran.json["strategies"]["Qwen"]["strategies"][0]["cost"] == pytest.approx(80 * 5 * 0.11)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--system colour", 'no term "colour"'),
        ("--generation colour", 'no term "colour"'),
        ("--generation judge", 'generation: "judge" is no response'),
        ("--identity Qwen", "--identity: expects a pair such as gpt-5=GPT-5"),
        ("--identity Mistral=Qwen", 'no term "Mistral"'),
        ("--level 2", "level: must lie between 0 and 1"),
        ("--price -1", "prices: call must be a finite amount"),
        ("--facet judge=", "judge"),
    ],
)
def test_what_is_refused_in_one_line(run, path, words, says):
    ran = run("panel", path, *words.split())
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
    ran = run("panel", path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)


def test_hostile_labels_stay_on_their_line(run, tmp_path):
    rows = [f'{i},"{judge}",{(i * 7 + at) % 5}' for i in range(8) for at, judge in enumerate(("<b>\x1b[31m", "=1+1"))]
    path = tmp_path / "scores.csv"
    path.write_text("item,judge,score\n" + "\n".join(rows) + "\n")
    ran = run("panel", path)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "=1+1" in ran.out
