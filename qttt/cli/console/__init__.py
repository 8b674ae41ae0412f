"""What every command reads from and writes to."""
