"""The referee's desk: what is done with an issue that disputes a result or asks for a run, one step for each event.

A stranger's issue alone is answered and writes nothing. What somebody who may write to the repository decides becomes
a pull request, which another look at it merges.
"""
