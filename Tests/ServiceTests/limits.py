"""What the scripts and what runs them agree on."""

SKIPPED = 77
# Seconds after which a script hangs: the longest takes about three minutes, on a slow machine
# several times that.
LIMIT = 1800
