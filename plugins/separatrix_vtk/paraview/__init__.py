"""What is for ParaView: colors of the outputs and macros."""
