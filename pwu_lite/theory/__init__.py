"""What scores believe, and what can be proved of them: the second floor, which the first does not know."""
