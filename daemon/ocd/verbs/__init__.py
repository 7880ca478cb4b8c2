"""The verbs, in modules by noun; ocd.catalog lists them."""
