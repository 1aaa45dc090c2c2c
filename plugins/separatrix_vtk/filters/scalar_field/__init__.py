"""The filters on image data."""
