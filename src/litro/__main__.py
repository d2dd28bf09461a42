"""`python -m litro` is `litro`."""

from litro.cli.main import main

if __name__ == "__main__":
    main()
