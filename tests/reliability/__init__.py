"""Does it break? Faults, load, bad input and long use, tried on purpose and counted."""
