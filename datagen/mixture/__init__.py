"""Training windows from several datasets at once: exact shares, aligned actions, one normalisation, domain labels."""
