import json

from quorate.cli import main


def scores(path, systems):
    rows = [
        f"i{i},j{j},{s},{(i * i * 7 + j * 3 + (s == 'a')) % 11}" for i in range(30) for j in range(3) for s in systems
    ]
    path.write_text("item,judge,system,score\n" + "\n".join(rows), encoding="utf-8")
    return str(path)


def test_analyze_prints_what_such_intervals_do(tmp_path, capsys):
    path = scores(tmp_path / "scores.csv", "a")
    assert main(["analyze", path, "--certify", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["certificate"]
    assert found["subject"] == "mean"
    assert "200 studies drawn like yours" in found["sentence"]
    assert main(["analyze", path, "--certify", "200", "--no-report"]) == 0
    assert "hold the truth" in capsys.readouterr().out


def test_compare_and_rank_certify_what_they_say(tmp_path, capsys):
    path = scores(tmp_path / "scores.csv", "ab")
    main(["compare", path, "a", "b", "--certify", "100", "--json"])
    assert json.loads(capsys.readouterr().out)["certificate"]["subject"] == "difference"
    main(["rank", path, "--certify", "100", "--full"])
    assert "all pairs at once" in " ".join(capsys.readouterr().out.split())
    three = scores(tmp_path / "three.csv", "abc")
    assert main(["compare", three, "--certify", "100"]) != 0
    assert "--certify: is for two systems" in capsys.readouterr().err
