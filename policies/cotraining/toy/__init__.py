"""A model of co-training small enough to see through: two shifted spirals (Lei et al. 2026, arXiv 2604.13645)."""
