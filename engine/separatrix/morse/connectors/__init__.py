"""V-paths between the saddles of a volume: counted as arcs, and drawn as networks of lines."""
