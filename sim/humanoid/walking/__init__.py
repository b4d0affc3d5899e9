"""Walking of any humanoid from its own model: no training, one formula of gains (docs/humanoid/controller.md)."""
