"""``python -m qttt``."""

import sys

from qttt.cli import main

if __name__ == "__main__":
    sys.exit(main())
