"""`quorate export --tasks`."""

from under_way import asked


def test_it_says_what_it_wrote(run, tmp_path):
    path = asked(tmp_path)
    ran = run("export", "--tasks", path, tmp_path / "tasks")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Wrote")
    assert "1 task for 1 person" in " ".join(ran.out.split())
