"""Pages read by the workers of a Dask cluster: the extra `cluster`."""
