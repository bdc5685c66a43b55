"""A BenchmarkJob of OME: a Job that runs genai-bench against one model service."""
