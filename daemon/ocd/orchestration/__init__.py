"""Work that is divided: workflows, batches, paged viewers, plans. It calls verbs, it is none."""
