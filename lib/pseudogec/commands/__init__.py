"""The programs: each parses its arguments and calls the stages."""
