"""Slow, obvious versions of what the engine computes, to be checked by eye, and their inputs."""
