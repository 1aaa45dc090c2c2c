"""Images: the cubical complex on a grid."""
