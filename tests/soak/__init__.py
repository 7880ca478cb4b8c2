"""A long run against one daemon: mixed calls on hostile pages while its processes are killed."""
