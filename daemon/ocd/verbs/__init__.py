"""The verbs, in modules by noun; ocd.calls.catalog lists them."""
