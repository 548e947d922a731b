"""Charts drawn on the server: a figure as SVG for a page, and as a PNG card for a link to it."""
