"""A module a command: its options and its page of the manual. The work is imported when it runs."""
