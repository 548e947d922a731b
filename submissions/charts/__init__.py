"""What charts share: colours, scales, caveats."""
