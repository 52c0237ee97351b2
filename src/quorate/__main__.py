"""The command: the script of that name, or `python -m quorate` where the script is not on the path."""

import sys


def main() -> int:
    """Load the command and call it; Ctrl-C while it loads ends it as it does later."""
    try:
        from quorate.cli import main as command
    except KeyboardInterrupt:
        sys.stderr.write("quorate: interrupted\n")
        return 130
    return command()


if __name__ == "__main__":
    sys.exit(main())
