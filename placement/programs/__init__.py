"""The fragment model as mixed-integer programs, and the one door to their solver."""
