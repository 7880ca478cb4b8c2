"""Tasks on applications from the package registries, done as an agent does them from a shell.

What came of a task is looked up where the application keeps it: its database, its files, its API.
"""
