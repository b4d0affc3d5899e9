"""Seamless procedural textures and backgrounds; everything is drawn from seeds, so no image files are shipped."""
