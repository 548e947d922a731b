"""What a submission holds beyond its headline: percentile curves and intervals."""
