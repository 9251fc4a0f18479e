"""``python -m twospeed``."""

import sys

from twospeed.cli.main import main

sys.exit(main())
