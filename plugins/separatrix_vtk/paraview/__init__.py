"""ParaView: setup of an installation, colors of the outputs, and a macro."""
