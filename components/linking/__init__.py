"""The second phase of planning: what lies between services, whatever their families.

It reads rendered objects only: whether the pool of an objective is made, which service a benchmark measures, what a
route needs to reach another namespace, which routes take each other's requests, which objects are made twice.
"""
