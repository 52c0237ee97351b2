"""The command line: parse, call one public function, print.

- `verbs`: the questions that there are, and what is asked with each by an option.
- `entry`: the command itself, and errors as lines and exit codes.
- `options`: options in groups, each declared once.
- `look`, `plan`, `collect`, `decide`, `write`: the commands, a file each.
- `console`: plain text and JSON; `spelling`: arguments of the library as options.
- `waiting`: how far a long computation is.
"""

from quorate.cli.entry import main

__all__ = ["main"]
