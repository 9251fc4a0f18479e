"""The wire protocols: requests to JSON, bytes of a response to model events. No I/O."""
