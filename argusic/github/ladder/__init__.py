"""The upper rungs of a cycle on many machines: what attempt jobs handed over is collected, and brought to review.

Attempt jobs ran code of strangers, so nothing that comes from them is believed: whatever can be proven again is proven
again, and of an artifact that is wrong in anything nothing is taken.
"""
