"""LeRobot v3.0 datasets: written, read, checked and merged with pyarrow and PyAV, without LeRobot itself."""
