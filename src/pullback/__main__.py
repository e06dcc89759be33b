"""`python -m pullback` with a command becomes what the command prints."""

import sys

from pullback.api.commands import main

sys.exit(main())
