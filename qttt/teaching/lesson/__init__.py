"""Lessons: a game explained move by move, as text, as a page, as Markdown and as figures."""
