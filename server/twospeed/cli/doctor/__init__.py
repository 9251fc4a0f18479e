"""``twospeed doctor``: find keys and servers, try each mode, report."""
