"""A private Postgres cluster in a folder of its own: a socket and a port of this machine, no password, no disk sync."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from itertools import count
from pathlib import Path

USER = "quorate"


def programs() -> Path | None:
    """Folder of initdb and pg_ctl; None where Postgres is not installed."""
    named = shutil.which("pg_ctl")
    found = [Path(named).resolve().parent] if named else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "initdb").exists()), None)


class Cluster:
    """A server that ends with the tests; each test gets a schema of its own."""

    def __init__(self, programs: Path) -> None:
        self._programs, self._schemas = programs, count(1)
        self.folder = Path(tempfile.mkdtemp(prefix="quorate-postgres-"))
        self._login: dict[str, object] = {}
        if os.geteuid() == 0:  # Postgres refuses to be run by root
            nobody = pwd.getpwnam("postgres" if _is_user("postgres") else "nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self._login = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self.port = _free_port()
        self._call("initdb", "-U", USER, "--auth=trust", "-E", "UTF8", "--locale=C", "-N")
        self.start()

    def start(self) -> None:
        options = f"-k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1 -c max_connections=60"
        self._call("pg_ctl", "start", "-w", "-l", str(self.folder / "log"), "-o", options)

    def stop(self, how: str = "fast") -> None:
        self._call("pg_ctl", "stop", "-w", "-m", how)

    def end(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def place(self, *, over_tcp: bool = False) -> str:
        """Address of a new schema."""
        schema = f"study{next(self._schemas)}"
        if over_tcp:
            return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres?schema={schema}"
        return f"postgresql://{USER}@:{self.port}/postgres?schema={schema}&host={self.folder}"

    def _call(self, program: str, *arguments: str) -> None:
        call = [self._programs / program, "-D", self.folder / "data", *arguments]
        done = subprocess.run(
            call,
            check=False,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=60,
            **self._login,
        )
        assert done.returncode == 0, done.stderr.decode()


def _is_user(name: str) -> bool:
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
