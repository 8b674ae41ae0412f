"""What a person types: the command line, its commands and the keyboard game."""
