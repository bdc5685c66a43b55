"""The second phase of planning: relations between services of all families.

It reads only rendered objects: whether the pool of an objective is made, which service a benchmark measures, what a
route needs to reach another namespace, which routes take each other's requests, which objects are made twice.
"""
