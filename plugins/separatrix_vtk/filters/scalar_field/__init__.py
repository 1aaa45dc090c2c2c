"""The filters on scalar fields of images and meshes."""
