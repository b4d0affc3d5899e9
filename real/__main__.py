"""``python -m real`` is the ``real`` command."""

from real.cli import main

main()
