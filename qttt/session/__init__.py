"""A game between seats: who sits there, takebacks, offers, resigning, a clock, and the log of it all."""
