"""The server behind the page: rooms, their store, the workers, and the addresses."""
