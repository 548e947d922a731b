"""The lists from which the shipped prices are made."""
