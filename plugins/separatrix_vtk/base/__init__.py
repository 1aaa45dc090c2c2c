"""What all filters share: the base class, VTK's methods for options, messages, and arrays."""
