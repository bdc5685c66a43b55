"""An InferenceService of OME: engine, decoder and router, with the objects that expose and scale them."""
