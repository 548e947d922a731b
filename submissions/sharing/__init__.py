"""Short links, and the charts of a page as numbers and in frames."""
