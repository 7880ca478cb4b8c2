"""Reading a page: the outline, DOM, text, state, screenshots with labels."""
