"""How the tables of the option ``measure-turn`` are made."""
