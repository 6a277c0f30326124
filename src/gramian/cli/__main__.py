"""``python -m gramian.cli`` does what ``gramian`` does."""

from gramian.cli import main

if __name__ == "__main__":
    main()
