"""Options in groups, each declared once: a command names the groups that it takes."""

from quorate.cli.options.declared import *  # noqa: F403 - every group of the file, so that none is listed twice
from quorate.cli.options.designs import *  # noqa: F403
from quorate.cli.options.groups import *  # noqa: F403
from quorate.cli.options.output import *  # noqa: F403
from quorate.cli.options.people import *  # noqa: F403
from quorate.cli.options.reading import *  # noqa: F403
from quorate.cli.options.systems import *  # noqa: F403
