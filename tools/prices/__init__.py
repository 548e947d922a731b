"""The lists from which the shipped prices are made, and how many machine types have one."""
