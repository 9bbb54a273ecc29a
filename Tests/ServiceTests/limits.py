"""What the scripts and what runs them agree on."""

SKIPPED = 77
# Seconds a script may take on a slow machine; the longest takes about three minutes.
LIMIT = 400
