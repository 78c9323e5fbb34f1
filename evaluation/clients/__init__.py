"""Several clients at once: what they ask, the loop that they ask it in, and what is predicted."""
