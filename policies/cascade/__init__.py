"""Control of cascades: baselines, training, evaluation in common episodes, and the experiments of the documentation."""
