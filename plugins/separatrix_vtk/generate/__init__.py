"""Files that are written from the declarations: XML, stubs, and tables of the docs."""
