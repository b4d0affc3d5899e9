"""``python -m twinloom`` is the ``twinloom`` command."""

from twinloom.cli import main

main()
