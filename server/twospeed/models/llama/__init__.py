"""A GGUF file served by llama.cpp in a child process."""
