"""`python -m quorate`: the command, where the script is not on the path."""

import sys

from quorate.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
