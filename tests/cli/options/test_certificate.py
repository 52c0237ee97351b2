import json

from quorate.cli import main
from quorate.simulate import write_demo


def test_analyze_prints_what_such_intervals_do(tmp_path, capsys):
    path = str(write_demo(tmp_path / "scores.csv"))
    assert main(["analyze", path, "--certify", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["certificate"]
    assert found["subject"] == "mean"
    assert "200 studies drawn like yours" in found["sentence"]
    assert main(["analyze", path, "--certify", "200", "--no-report"]) == 0
    assert "Do such intervals hold?" in capsys.readouterr().out


def test_compare_and_rank_certify_what_they_say(tmp_path, capsys):
    rows = [f"i{i},j{j},{s},{(i * 7 + j * 3 + (s == 'a')) % 5}" for i in range(30) for j in range(3) for s in "ab"]
    path = tmp_path / "scores.csv"
    path.write_text("item,judge,system,score\n" + "\n".join(rows), encoding="utf-8")
    main(["compare", str(path), "a", "b", "--certify", "100", "--json"])
    assert json.loads(capsys.readouterr().out)["certificate"]["subject"] == "difference"
    main(["rank", str(path), "--certify", "100"])
    assert "all pairs at once" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", str(path), "--certify", "100"]) != 0
    assert "--certify: is for two systems" in capsys.readouterr().err
