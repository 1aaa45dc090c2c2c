"""The filters on point sets: points with weights, molecules, tables of coordinates."""
