"""Parts of the safety filter in ``real.limits``: the limiter, the screens for commands and states, the guards."""
