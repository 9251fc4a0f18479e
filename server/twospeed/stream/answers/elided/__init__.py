"""Find comments that replace code in an answer: `# ... rest unchanged`."""
