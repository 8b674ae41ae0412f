"""The guide's page on best play: every number on it is computed here, and every figure drawn here."""
