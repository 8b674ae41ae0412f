"""Other people's engines that can play the game. Each needs an extra of its own; nothing imports them."""
