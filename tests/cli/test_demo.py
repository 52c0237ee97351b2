import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.simulate.demo import MEASURED, write_demo


@pytest.mark.slow
def test_the_truth_stands_beside_the_intervals(run, tmp_path):
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("Simulated, not real judgments")
    verdicts = [line.split()[-2:] for line in ran.out.splitlines() if line.endswith(" it")]
    assert verdicts == [["misses", "it"], ["holds", "it"], ["holds", "it"]]
    assert f"over 1,000 draws the naive one did in {MEASURED.naive:.1%}" in ran.said
    page = (tmp_path / "quorate-demo.html").read_text(encoding="utf-8")
    assert "Simulated, not real judgments" in page
    assert [path.name for path in tmp_path.iterdir()] == ["quorate-demo.html"]


@pytest.mark.slow
def test_it_prints_what_analyze_prints_for_the_same_file(run, tmp_path):
    ran = run("demo", "--directory", tmp_path, "--no-report")
    assert (tmp_path / "quorate-demo.csv").read_bytes() == write_demo(tmp_path / "again.csv").read_bytes()
    analyzed = run("analyze", tmp_path / "quorate-demo.csv", "--no-report").out
    answer, caveat = analyzed.split("\n\n")[0], analyzed[analyzed.index("\nCaveat: ") : analyzed.index("\nRead as: ")]
    assert answer in ran.out
    assert caveat in ran.out
    assert "Read as: " not in ran.out  # its columns are its own


def test_json_has_the_truth_as_well(run, tmp_path):
    ran = run("demo", "--json", "--seed", "2")
    fit = q.decompose(q.read(write_demo(tmp_path / "two.csv", seed=2)))
    assert ran.json["setup"]["value"] == pytest.approx(fit.mean.value, rel=1e-12)
    found = ran.json["demo"]
    assert (found["seed"], found["truth"], found["measured"]["draws"]) == (2, 7.0, 1000)
    assert all(one["holds_truth"] == (one["low"] <= 7 <= one["high"]) for one in found["intervals"])
    assert [one["interval"] for one in found["intervals"]] == [
        "naive",
        "with these 5 prompts and 3 judges",
        "for prompts and judges like these",
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--directory", "none"], "--directory: no folder none"), (["--seed", "-1"], "seed: must be a whole number")],
)
def test_a_wrong_option_is_one_line(run, words, says):
    assert says in run("demo", *words).refused()


@pytest.mark.slow
def test_the_result_is_kept_when_the_report_cannot_be_written(run, monkeypatch):
    def full(path, *_, **__):
        raise InvalidInput(f"path: {path} cannot be written (No space left on device); choose another place")

    monkeypatch.setattr("quorate.reporting.report.write_file", full)
    ran = run("demo", "--report", "there.md")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "holds it" in ran.out
    assert "--report: none/there.html cannot be written" in run("demo", "--report", "none/there.html").refused()
