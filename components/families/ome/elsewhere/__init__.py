"""OME's documented keys on services of the other families, by the same rules as on OME's own.

``fields`` completes a manifest before its family reads it; ``apply`` changes what the family has rendered. A manifest
without such keys is left alone.
"""
