"""MiniWoB++: small tasks on pages that others wrote, done from the outline and `find` alone.

A policy is what an agent would do, written down: it reads the outline, acts by refs and words, and
knows nothing of the page's elements, styles or scripts. The page itself says what that came to.
"""
