"""What a person reads: lessons and the guide."""
