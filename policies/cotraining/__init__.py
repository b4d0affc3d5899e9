"""Training on much source and little target data: mixing, labels, alignment, and what happens in the representation."""
