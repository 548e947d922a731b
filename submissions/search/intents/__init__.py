"""What a search asks for beside words: the facts, limits and comparisons in it, and the pages that answer them."""
