"""The option ``measure-turn``, solved: Level 1 from its first move, Level 2 from few empty squares on."""
