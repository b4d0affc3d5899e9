"""What exists: robots, objects, textures, graphs and shipped checkpoints, with their loaders and licences."""
