"""Performance as ratios: both sides of each measure run in turn, in one go, on the same machine."""
