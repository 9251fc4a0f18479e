"""The wire protocols: requests to JSON, bytes of an answer to model events. No I/O."""
