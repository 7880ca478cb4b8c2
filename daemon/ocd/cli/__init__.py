"""The `ocd` command: a module per subcommand."""
