"""The batched environment: commands, observations, rewards, terminations, events and the engines under them."""
