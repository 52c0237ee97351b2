import json

from under_way import asked


def test_it_says_what_it_wrote(run, tmp_path):
    path = asked(tmp_path)
    ran = run("export", "--tasks", path, tmp_path / "tasks")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Wrote")
    assert "1 task for 1 person" in ran.said


def test_it_says_what_it_took(run, tmp_path):
    path = asked(tmp_path)
    run("export", "--tasks", path, tmp_path / "tasks")
    (task,) = json.loads((tmp_path / "tasks" / "ana.json").read_text(encoding="utf-8"))
    row = {**task["data"], "id": 1, "answer": [{"rating": 7}], "annotator": 1, "annotation_id": 1}
    (tmp_path / "export.json").write_text(json.dumps([row]), encoding="utf-8")
    ran = run("import", path, tmp_path / "export.json")
    assert (ran.code, ran.out, ran.err) == (0, "Took 1 answer.\n", "")
