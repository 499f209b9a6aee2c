"""The newcomer's ways with prebuilt cloud templates, one module a way.

`deploy.py` and `exercise.py` are carried into the sandbox and run there.
"""
