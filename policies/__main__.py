"""``python -m policies`` is the ``policies`` command."""

from policies.cli import main

if __name__ == "__main__":
    main()
