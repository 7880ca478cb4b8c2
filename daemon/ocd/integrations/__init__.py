"""Other services: Open Chat Studio uploads, one-time password seeds, webhooks."""
