"""``python -m assets`` is the ``assets`` command."""

from assets.cli import main

main()
