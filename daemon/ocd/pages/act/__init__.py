"""Acting on elements: actionability, input events, forms, drag and drop, what an action changed."""
