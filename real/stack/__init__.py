"""Which nodes run together, and the runner that starts, watches and ends them."""

from real.stack.spec import Argument, NodeSpec, Stack, load_stack, parse_arguments, stacks

__all__ = ["Argument", "NodeSpec", "Stack", "load_stack", "parse_arguments", "stacks"]
