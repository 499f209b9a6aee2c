"""Reels: a recording made watchable, by edits that are listed, can be checked, and hide nothing.

The edits are a map from the recording's time to the reel's that never goes backwards, and words about commands in a
bar of their own. Every byte of the recording reaches the terminal, in order, so each picture is one that the terminal
showed.
"""
