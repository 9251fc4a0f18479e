"""Before the answer: the scope, the prompt's context, the request with its retries."""
