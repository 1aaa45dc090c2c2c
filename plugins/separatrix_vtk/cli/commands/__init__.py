"""The commands, one module each; importing a module registers its command."""
