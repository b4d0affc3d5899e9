"""Distilling the model-based walker into networks: DAgger over random bodies (Ross et al. 2011)."""
