"""Examples: games to replay, the guide, the gallery, and notebooks."""
