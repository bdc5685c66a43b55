"""Shell scripts of the family's containers."""
