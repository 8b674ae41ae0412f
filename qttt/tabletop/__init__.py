"""An observation at the table: which dice are rolled, and what they say."""
