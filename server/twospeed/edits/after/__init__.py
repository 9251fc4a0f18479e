"""After the answer: review, findings, repetition, and how many of the lines survive."""
