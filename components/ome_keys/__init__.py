"""The labels and annotations that OME documents, on services of every family.

``complete.complete_document`` fills in fields of a document before its family reads it, ``apply.apply_keys`` changes
the rendered objects, and ``validation`` checks the keys. Manifests without such keys stay unchanged. The OME family
calls these functions while it renders, because keys of its models and runtimes also apply.
"""
