"""The `ocd` command and `python -m ocd`."""

from ocd.cli.app import main

if __name__ == "__main__":
    main()
