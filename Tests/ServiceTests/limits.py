"""Constants that the scripts share with run.py."""

# The exit status of a script that cannot run on this machine.
SKIPPED = 77
# Seconds after which a script is considered to hang. The longest takes about three minutes, and
# several times that on a slow machine.
SCRIPT_TIMEOUT = 1800
