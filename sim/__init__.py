"""What happens: the simulators and the engines under them."""
