"""Reinforcement learning: TQC, SAC and PPO on Gymnasium vector environments, resumable at any moment."""
