"""Whatever a file is and whichever command is given it: an answer, or one line that says what is wrong, soon."""

from __future__ import annotations

import gzip
import os
import random
import sqlite3
import time
import zipfile
from contextlib import closing

import pytest

DRAW = random.Random(5)
ROWS = [(f"i{i}", f"j{j}", DRAW.randint(1, 5)) for i in range(12) for j in range(3)]
HEAD = "item,judge,score\n"
CSV = HEAD + "".join(f"{item},{judge},{score}\n" for item, judge, score in ROWS)


def scored(form):
    """The table with every score written in another form."""
    return HEAD + "".join(f"{item},{judge},{form(score)}\n" for item, judge, score in ROWS)


FILES = {
    **{
        f"{name}.csv": content
        for name, content in {
            "empty": "",
            "lines": "\n\n\n",
            "head": HEAD,
            "mark": "\ufeff",
            "one": HEAD + "a,b,3\n",
            "headless": CSV[17:],
            "nul": b"\0" * 999,
            "noise": DRAW.randbytes(999),
            "utf16": CSV.encode("utf-16"),
            "utf32": CSV.encode("utf-32"),
            "page": "<!DOCTYPE html><html>",
            "picture": b"\x89PNG\r\n\x1a\n" + DRAW.randbytes(99),
            "zip": b"PK\3\4" + DRAW.randbytes(99),
            "quote": HEAD + '"a,b,3\nc,d,4\n',
            "ragged": HEAD + "a,b,3,4,5\nc\n",
            "nameless": ",,\n" + "a,b,3\n" * 5,
            "wide": ",".join(f"c{at}" for at in range(999)) + "\n" + ",".join("1" * 999) + "\n",
            "ends": HEAD + "a,b,3\r\nc,d,4\r",
            "arabic": scored(lambda score: "٠١٢٣٤٥"[score]),
            "wide-digits": scored(lambda score: "０１２３４５"[score]),
            "huge": scored(lambda score: f"{score}e150"),
            "beyond": scored(lambda score: f"{score}e400"),
            "tiny": scored(lambda score: f"{score}e-320"),
            "nan": scored(lambda _: "nan"),
            "same": scored(lambda _: "3"),
            "long": scored(lambda score: f"{score}" * 400),
            "formula": scored(lambda _: "=1+1"),
            "dates": scored(lambda score: f"2024-01-0{score}"),
            "marks": CSV.replace("i1", "\u202ei1"),
            "escapes": CSV.replace("i1", "\x1b[31mi1\x07"),
            "names": CSV.replace("j0", "x" * 99_999),
            "markup": CSV.replace("j0", "<script>{{7*7}}%s"),
            "sql": CSV.replace("j0", "'; DROP TABLE x; --").replace("judge", 'jud"ge'),
            "cases": CSV.replace("item,judge", "Item,ITEM"),
        }.items()
    },
    **{
        f"{name}.json": content
        for name, content in {
            "list": "[]",
            "object": "{}",
            "null": "null",
            "text": '"x"',
            "cut": '[{"item":"a","judge":"b","score":3},]',
            "lists": '[["item","judge","score"],["a","b",3]]',
            "number": f'[{{"item":"a","judge":"b","score":{"9" * 5000}}}]',
            "deep": "[" * 99_999,
            "deeper": '{"a":' * 99_999,
            "half": '[{"item":"\\ud800","judge":"b","score":3}]',
            "inspect": '{"version":2,"status":"success","eval":null,"samples":{"a":1}}',
            "promptfoo": '{"results":{"results":[3]}}',
            "annotations": '[{"id":1,"annotations":[{"result":[{"value":null}]}],"data":[]}]',
            "eee": '{"schema_version":"0.1","evaluation_results":"x"}',
        }.items()
    },
    **{
        f"{name}.yaml": content
        for name, content in {
            "number": "3",
            "aliases": "items: &a x\njudges: *a\n",
            "tags": "!!python/object/apply:os.system ['id']",
            "twice": "items: a\nitems: b\n",
            "nulls": "items: null\njudges: null\n",
            "several": "a: 1\n---\nb: 2\n",
            "deep": "items: " + "{a: " * 3000,
            "infinite": "seed: .inf\n",
            "bytes": b"items: \xff\n",
        }.items()
    },
    "mixed.jsonl": '{"item":"a","judge":"b","score":3}\n[1]\n',
    "noise.parquet": DRAW.randbytes(999),
    "marked.parquet": b"PAR1" + DRAW.randbytes(99) + b"PAR1",
    "noise.db": DRAW.randbytes(999),
    "zero.db": "",
    "head.db": b"SQLite format 3\0" + b"\0" * 600,
    "noise.eval": b"PK\3\4" + DRAW.randbytes(99),
    "cut.csv.gz": gzip.compress(CSV.encode())[:60],
    "none.csv.gz": gzip.compress(b""),
    "plain.csv.gz": CSV,
}
OTHERS = (
    "pipe.csv",
    "loop.csv",
    "nowhere.csv",
    "folder",
    "other.db",
    "members.eval",
    "missing.csv",
    "/dev/null",
    "-",
    "x" * 999,
)
COMMANDS = {
    "doctor": "doctor {}",
    "analyze": "analyze {} --no-report",
    "rank": "rank {}",
    "export": "export {} out.csv --force",
    "run": "run {} --quote",
}


@pytest.fixture
def folder(command, tmp_path):
    """The folder that commands run in, with what is no ordinary file."""
    for name, content in {"ok.csv": CSV, **FILES}.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "nowhere.csv").symlink_to("none")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "pipe.json")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (a)")
    with zipfile.ZipFile(tmp_path / "members.eval", "w") as archive:
        archive.writestr("header.json", "[]")
        archive.writestr("../x", "y")
    return tmp_path


@pytest.mark.slow
@pytest.mark.fault("a file that is none")
@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_no_file_of_judgments_is_an_answer_or_a_line(folder, command, name):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    wrong = {}
    for file in (*FILES, *OTHERS):
        start = time.monotonic()
        ran = command(*(word.format(file) for word in COMMANDS[name].split()))
        last = ran.err.splitlines()[-1] if ran.err else ""
        fine = ran.code in (0, 2) or (ran.code == 1 and last.startswith("quorate: ") and len(last) < 1100)
        odd = [one for one in ("Traceback", "internal error", "\x1b", "\u202e") if one in ran.out + ran.err]
        if odd or not fine or time.monotonic() - start > 30:
            wrong[file] = ran.code, odd, last
    assert not wrong
    assert {path: path.read_bytes() for path in before} == before
