"""One way of doing something in a process of its own: its time and its peak of memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_MEASURE = """
import json, resource, sys, time
from pathlib import Path
wall, cpu, rows, path = time.perf_counter(), time.process_time(), 0, Path(sys.argv[1])
{body}
used = [time.perf_counter() - wall, time.process_time() - cpu]
print(json.dumps([*used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, rows]))
"""


def measured(body: str, path: Path) -> list[float]:
    """Wall time, CPU time, peak memory in MB and ``rows``, which the body may set; it finds the file in ``path``."""
    call = [sys.executable, "-c", _MEASURE.format(body=body), str(path)]
    found: list[float] = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    return found
