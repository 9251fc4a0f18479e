"""One instruction at several places."""
