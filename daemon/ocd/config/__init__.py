"""The configuration: settings as declarations, config.toml, and its tables."""
