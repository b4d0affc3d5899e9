"""``python -m datagen`` is the ``datagen`` command."""

from datagen.cli import main

if __name__ == "__main__":
    main()
