"""A spreading process as data: compartments, residence-time laws, contact, control, random numbers, and its theory."""
