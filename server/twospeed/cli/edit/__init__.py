"""``twospeed edit``: one edit of one file."""
