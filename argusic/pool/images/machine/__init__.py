"""What carries out the commands of an image's description in a sandbox that has no container engine.

This folder is handed in beside the image and runs there, with the system's Python and PRoot: it needs nothing of the
rest of Argusic, and nothing that is not in the standard library. It is no boundary: the sandbox around it is.
"""
