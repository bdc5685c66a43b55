"""The labels and annotations that OME documents, on services of every family.

``complete.complete_document`` fills in fields of a document before its family reads it; ``apply.apply_keys`` changes
what the family has rendered; ``validation`` says what is wrong with a key. A manifest without such keys is left alone.
The family OME uses the same functions while it renders, since there the keys of models and runtimes act too.
"""
