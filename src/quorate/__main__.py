"""The command: the script of that name, or `python -m quorate` where the script is not on the path."""

import atexit
import gc
import os
import sys
from typing import NoReturn

_COLLECTED = 200_000
"""Objects more than were freed at which Python looks for unused cycles: a usual command makes fewer and then ends."""


def main() -> int:
    """Load the command and call it; Ctrl-C while it loads ends it as it does later."""
    gc.set_threshold(_COLLECTED)
    try:
        from quorate.cli import main as command
    except KeyboardInterrupt:
        sys.stderr.write("quorate: interrupted\n")
        return 130
    return command()


def script() -> NoReturn:
    """The command as a process of its own, which ends as it is once what waits for its end is done.

    To take everything down first takes time, and tells of what libraries keep until then as leaks.
    """
    code = main()
    atexit._run_exitfuncs()  # noqa: SLF001  (no public one does it)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # nobody reads it any more
            continue
    os._exit(code)


if __name__ == "__main__":
    script()
