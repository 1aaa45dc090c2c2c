"""Which papers the methods of each command come from: the command `separatrix cite`."""
