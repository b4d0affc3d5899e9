"""What is remembered: experts run, episodes recorded, datasets written, checked, merged and mixed."""
