"""Everything that uses CDP; the only importer of pyppeteer."""
