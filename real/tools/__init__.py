"""What one runs beside a robot: doctor, measurements, trials."""
