"""A large log of Inspect AI read member by member: ``quorate.read`` against unpacking alone, and against JSON whole.

Run with ``make bench``, or ``--megabytes 2000`` for a log of 2 GB. The archive is written into a temporary folder and
deleted: samples of 1 MB of text that hardly packs, messages before the scores of a panel of three and events after
them, and one sample of a tenth of the log in several frames of Zstandard, as Inspect writes above 200 MiB. Each way
runs in its own process, so that its peak memory is its own. ``json`` loads each member whole, as far as the large one.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from importlib import import_module
from multiprocessing import Process
from pathlib import Path

from _apart import measured

ZSTANDARD = 93
SAMPLE = 1 << 20
FRAME = 32 << 20
LIBRARY = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
MODELS = [{"model": f"judge-{name}"} for name in "abc"]
WAYS = {
    "quorate.read": "import quorate as q\nrows = int(q.read(path, announce=False).rows.sum())",
    "unpacking alone": """
from quorate.table.exchange.foreign.inspect.attempts import blocks, directory
for member in directory(path).values():
    for block in blocks(path, member):
        rows += 1
""",
    "json": """
from quorate.table.exchange.foreign.inspect.attempts import blocks, directory
for member in directory(path).values():
    text = b"".join(blocks(path, member))
    rows += bool(json.loads(text))
""",
}


def score(number: int) -> dict[str, object]:
    """What a panel of three came to."""
    votes = ["C" if (number * 7 + judge) % 3 else "I" for judge in range(3)]
    return {"value": max(votes, key=votes.count), "metadata": {"panel": {"votes": votes, "size": 3, "failures": []}}}


def sample(number: int, size: int) -> Iterator[bytes]:
    """A sample's text of about a size: a fifth of it before the scores."""
    yield json.dumps({"id": f"q{number // 2}", "epoch": number % 2 + 1}).encode()[:-1] + b', "messages": ['
    yield from texts(size // 5)
    yield b'], "scores": ' + json.dumps({"model_graded_qa": score(number)}).encode() + b', "events": ['
    yield from texts(size - size // 5)
    yield b'], "error": null}'


def texts(size: int) -> Iterator[bytes]:
    """Entries of a list, of text that packs to three quarters."""
    for place in range(0, size, 4096):
        text = base64.b64encode(os.urandom(3000)).decode()
        yield (b"," if place else b"") + json.dumps({"role": "user", "content": text, "at": [place, {}]}).encode()


def add(archive: zipfile.ZipFile, name: str, parts: Iterator[bytes]) -> None:
    """A member of one frame for every 32 MiB of text."""
    library = import_module(LIBRARY)
    member, packed, held = zipfile.ZipInfo(name), [], bytearray()
    size = checksum = 0
    for part in parts:
        held += part
        size, checksum = size + len(part), zlib.crc32(part, checksum)
        if len(held) >= FRAME:
            packed.append(library.compress(bytes(held)))
            held.clear()
    archive.writestr(member, b"".join((*packed, library.compress(bytes(held)))))
    # as it is stored, the directory says how it was packed before
    member.compress_type, member.file_size, member.CRC = ZSTANDARD, size, checksum


def write(path: Path, megabytes: int) -> None:
    """A log of a size."""
    run = {"model": "m", "task": "t", "scorers": [{"name": "model_graded_qa", "options": {"model": MODELS}}]}
    header = {"version": 2, "status": "success", "eval": run | {"packages": {"inspect_ai": "0.3.285"}}}
    summaries = []
    with zipfile.ZipFile(path, "w") as archive:
        size = megabytes * 10**5 * 4 // 3
        while archive.start_dir < megabytes * 10**6:
            number = len(summaries)
            add(archive, f"samples/q{number // 2}_epoch_{number % 2 + 1}.json", sample(number, size))
            summaries.append({"id": f"q{number // 2}", "epoch": number % 2 + 1, "scores": {"model_graded_qa": {}}})
            size = SAMPLE
        add(archive, "summaries.json", iter([json.dumps(summaries).encode()]))
        add(archive, "header.json", iter([json.dumps(header).encode()]))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=200)
    megabytes = parser.parse_known_args()[0].megabytes
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.eval"
        # in a process of its own too: a new process counts the peak of the one that started it
        writer = Process(target=write, args=(path, megabytes))
        writer.start()
        writer.join()
        print(f"a log of {path.stat().st_size / 1e6:,.0f} MB")
        print(f"{'':18}{'wall s':>8}{'CPU s':>8}{'peak MB':>9}{'rows':>9}")
        times = {name: measured(body, path) for name, body in WAYS.items()}
    for name, (wall, cpu, memory, rows) in times.items():
        print(f"{name:18}{wall:8.2f}{cpu:8.2f}{memory:9.0f}{rows if name == 'quorate.read' else 0:9.0f}")
    print(f"ratio of CPU, JSON whole over quorate: {times['json'][1] / times['quorate.read'][1]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
