"""What every filter of the suite stands on: the base class, its settings, messages and arrays."""
