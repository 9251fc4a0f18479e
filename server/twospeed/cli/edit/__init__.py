"""``twospeed edit``: one instruction for one place or several."""
