"""The memory of hash joins: what a setting of it costs in I/O and in cache misses.

The model is that of Suzuki, Hayamizu, Yokoyama, Nakano and Kitsuregawa: Comprehensive Analytics of
Large Data Query Processing on Relational Database with SSDs (ADC 2014), called the study here.
"""
