"""The command: the script of that name, or `python -m quorate` where the script is not on the path."""

import gc
import sys

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


if __name__ == "__main__":
    sys.exit(main())
