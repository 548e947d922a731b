"""How the site is doing, for its operators: a page, and the same figures for Prometheus."""
