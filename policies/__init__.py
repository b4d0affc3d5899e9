"""What is learned: trainers, checkpoints, evaluation and serving of policies."""
