"""llama-cpp-python's own OpenAI-compatible server, on this machine and for as long as it is wanted."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from socket import socket
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

WAIT = 120


@contextmanager
def serving(model: Path, folder: Path, *options: str) -> Iterator[str]:
    """Base URL of a server with this model; the process is ended in the end, whatever happens."""
    port = free_port()
    words = ["--model", model, "--host", "127.0.0.1", "--port", port, "--n_ctx", 1024, "--n_threads", 1]
    words += ["--n_threads_batch", 1, "--verbose", False, *options]
    log = (folder / "server.log").open("w", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "llama_cpp.server", *map(str, words)], stdout=log, stderr=subprocess.STDOUT
    )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        ready(url, process)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)
        log.close()


def behind(url: str) -> dict[str, Any]:
    """The example's judge, asked through a server."""
    return {
        "kind": "endpoint",
        "base_url": url,
        "model": "smollm2",
        "params": {"max_tokens": 16},
        "structured": "grammar",
        "price": {"call": 0},
        "timeout": 600,
        "concurrency": 2,
    }


def free_port() -> int:
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def ready(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until it answers."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended before it answered; see server.log"
        try:
            with urlopen(f"{url}/models", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, HTTPException, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"no answer from {url} in {WAIT} s")
