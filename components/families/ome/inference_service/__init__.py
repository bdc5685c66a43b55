"""An InferenceService of OME: engine, decoder and router, and all that reaches and scales them."""
