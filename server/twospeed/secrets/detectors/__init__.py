"""Detectors of secrets, by format, by place and by name."""
