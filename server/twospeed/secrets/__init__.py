"""Find secrets in text, replace them in prompts, and remove them from messages and logs. No I/O."""
