"""Gymnasium environments: actions, costs, rewards, scenarios, episodes."""
