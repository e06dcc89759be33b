"""`python -m pullback` with a command becomes what the command prints."""

import sys

from pullback.api.commands import main

if __name__ == "__main__":
    sys.exit(main())
