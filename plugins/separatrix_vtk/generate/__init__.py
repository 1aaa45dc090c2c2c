"""Files that are written from the declarations: XML, functions, and tables of the docs."""
