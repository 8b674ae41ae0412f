"""How the solver's tables are made (extra ``solve`` from Level 3 on)."""
