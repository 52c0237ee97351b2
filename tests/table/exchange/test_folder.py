"""Names of folders: of no meaning for a file, and columns of a folder where that is asked for."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidData, InvalidInput
from quorate.table.reread import answers


def put(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pl.DataFrame(list(rows))
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ndjson(path)
    return path


@pytest.mark.slow
def test_the_folder_of_a_named_file_says_nothing(tmp_path):
    votes = [{"model_a": "x", "model_b": "y", "winner": f"model_{'ab'[i % 2]}"} for i in range(40)]
    path = put(tmp_path / "winner=model_a" / "v.parquet", *votes)
    assert q.read_votes(path, announce=False).wins("x", "y") == 20
    scores = [{"item": f"i{i}", "judge": "b", "score": i} for i in range(5)]
    for name in ("s.jsonl", "s.parquet"):
        found = q.read(put(tmp_path / "judge=gpt" / "score=9" / name, *scores), announce=False)
        assert (found.facet("judge").levels, found.mean.tolist()) == (("b",), [0, 1, 2, 3, 4])
    plain = tmp_path / "item=1" / "s.csv"
    plain.parent.mkdir()
    plain.write_text("judge,score\na,1\n")
    assert q.read(plain, facets={"judge": "judge"}, object="judge").names == ("judge",)


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_folder_is_read_when_asked_for_and_says_so(tmp_path, suffix):
    folder = tmp_path / "score=7" / "all[1]"
    for judge, place in (("g%20pt", 0), ("b", 1)):
        put(folder / f"judge={judge}" / f"part.{suffix}", *({"item": f"i{i}", "score": place + i} for i in range(3)))
    with pytest.raises(InvalidInput, match=r"has folders that name columns.*partitions=True"):
        q.read(folder)
    found = q.read(folder, partitions=True, announce=False)
    assert (found.facet("judge").levels, found.n_answers) == (("b", "g pt"), 6)
    assert answers(found).values.sum() == 9
    assert [caveat.sentence for caveat in found.source.caveats] == [
        "2 files of a folder read as one; columns from the names of folders: judge"
    ]
    put(folder / "judge=b" / f"part.{suffix}", {"item": "i0", "score": 4})
    with pytest.raises(InvalidData, match="has changed"):
        answers(found)


def test_the_command_takes_a_folder_too(tmp_path, capsys):
    put(tmp_path / "all" / "judge=a" / "part.parquet", *({"item": f"i{i}", "score": i} for i in range(4)))
    main(["doctor", str(tmp_path / "all")])
    assert "read all of its files with --partitions" in capsys.readouterr().err
    main(["doctor", str(tmp_path / "all"), "--partitions"])
    assert "columns from the names of folders: judge" in " ".join(capsys.readouterr().out.split())


def test_folders_that_do_not_make_one_table_are_refused(tmp_path):
    put(tmp_path / "a" / "judge=x" / "p.parquet", {"item": "i", "score": 1})
    put(tmp_path / "a" / "q.parquet", {"item": "i", "score": 1})
    with pytest.raises(InvalidData, match="name nothing, those of the first file judge"):
        q.read(tmp_path / "a", partitions=True)
    put(tmp_path / "b" / "score=1" / "p.parquet", {"item": "i", "score": 1})
    with pytest.raises(InvalidData, match='"score" is a column of the files and the name of a folder'):
        q.read(tmp_path / "b", partitions=True)
    put(tmp_path / "a" / "q.jsonl", {"item": "i", "score": 1})
    with pytest.raises(InvalidInput, match="files of several formats"):
        q.read(tmp_path / "a", partitions=True)
    (tmp_path / "c").mkdir()
    with pytest.raises(InvalidInput, match="has no file whose names end in"):
        q.read(tmp_path / "c", partitions=True)
    with pytest.raises(InvalidInput, match=r"partitions=True: is for a folder"):
        q.read(tmp_path / "a" / "q.parquet", partitions=True)
    with pytest.raises(InvalidInput, match="partitions: is for files"):
        q.read(pl.DataFrame({"item": ["i"], "score": [1]}), partitions=True)
