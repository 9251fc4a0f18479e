"""``python -m twospeed``.

Python puts the working folder, which may be anybody's, first in the import path. It is taken out again before
anything else is imported. Before that Python itself has looked there, for ``twospeed`` and a few of its own modules;
with the ``twospeed`` command and with ``python -P -m twospeed`` it never does.
"""

import sys

if __package__ and not sys.flags.safe_path:
    del sys.path[0]

from twospeed.cli.main import main  # not before the path is clean

sys.exit(main())
