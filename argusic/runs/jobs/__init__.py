"""The lower rungs of a cycle on many machines: what each job is to do, its keys, its attempts, what it hands over.

Each rung is one command that works on a laptop too. What goes from one to the next is in
`argusic/records/handing_over.py`.
"""
