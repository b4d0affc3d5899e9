"""Policies of the dual-arm tasks: their scripted experts, and how any policy is evaluated on them."""
