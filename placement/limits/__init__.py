"""Hard limits: what they are, whether a plan keeps them, and room within them."""
