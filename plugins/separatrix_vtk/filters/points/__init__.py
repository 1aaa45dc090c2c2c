"""The filters on point sets, molecules, and tables of coordinates."""
