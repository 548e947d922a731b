"""Load curves as they are shown: the highest rate that keeps a limit, with its price, in words, as a chart."""
