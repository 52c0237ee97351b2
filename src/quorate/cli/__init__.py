"""The command line: parse, call one public function, print.

- `entry`: the command itself, its subcommands by stage, and errors as lines and exit codes.
- `options`: options in groups, each declared once.
- `look`, `plan`, `collect`, `decide`, `write`: the commands, a file each.
- `console`: plain text and JSON; `spelling`: arguments of the library as options.
- `waiting`: how far a long computation is.
"""

from quorate.cli.entry import main

__all__ = ["main"]
