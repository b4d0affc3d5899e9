"""The mean-field equation of degree tiers: expected numbers without chance."""
