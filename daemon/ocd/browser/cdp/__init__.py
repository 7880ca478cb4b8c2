"""The CDP connection: transport, messages, events, sessions."""
