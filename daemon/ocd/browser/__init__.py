"""Everything that speaks CDP; the only importer of pyppeteer."""
