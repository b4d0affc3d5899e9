"""The safety filter that every command passes: limiter, screens for commands and states, guards."""
