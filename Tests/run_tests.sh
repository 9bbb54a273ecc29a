#!/bin/sh
# Runs tests and keeps what they print, so that failures can be repeated after it.
#
#   run_tests.sh LOG COMMAND...    runs the tests
#   run_tests.sh --failures LOG... prints the failures, then a line for each
if [ "$1" = --failures ]; then
  shift
  failed='^✘ .* recorded an issue|^\*\*\* |^Output of [a-z0-9_]+\.py:|^(FAILED|FAULT): |scripts failed: '
  # The lines that follow have what a test saw of a screen.
  grep -h -E -A 30 "$failed" "$@"
  echo
  grep -h -E "$failed" "$@" | cut -c 1-200
  exit
fi
log=$1
shift
{
  "$@" 2>&1
  echo $? >"$log.status"
} | tee "$log"
exit "$(cat "$log.status")"
