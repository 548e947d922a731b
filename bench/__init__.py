"""How fast the site is: pages and doors at several sizes, as ratios to a floor measured beside them."""
