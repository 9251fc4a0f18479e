"""Find secrets in text, replace them with placeholders, and keep them out of messages and logs. No I/O.

``find_secrets`` (`search`) combines the detectors. ``Placeholders`` replaces secrets in a prompt and restores them in
the answer. ``scrub`` removes the API keys that this process knows from text that is shown or logged.
"""
