"""Errors of syntax and of languages' own rules that an edit introduces."""
