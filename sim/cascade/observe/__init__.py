"""What a policy sees of a cascade."""
