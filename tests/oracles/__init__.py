"""Slow, obvious versions of the algorithms of the engine, and their inputs."""
