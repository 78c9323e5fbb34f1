"""The way of a result from a store to the engine: its cost, and the settings that make it small.

After the thesis on MIND (L. Belghoul, *Optimizing communication cost in distributed query
processing*, 2017, tel-01746126), chapters 4 and 5.
"""
