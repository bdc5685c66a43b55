"""Performance as ratios: each measure runs both sides alternately on the same machine."""
