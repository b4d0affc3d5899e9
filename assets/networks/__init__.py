"""Networks: loaders, generators and influence tiers of graphs in compressed sparse rows. Loads numba only on use."""
