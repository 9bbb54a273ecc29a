#!/bin/sh
# Takes the Arabic text from the Python package quran-text, for the reader beside it. Best effort: it
# never fails, it does not wait for a network that is not there, and tries once a day.
#
# arabic.sh fetch WORK            downloads the package, pinned by its hash
# arabic.sh install WORK BINARY   makes an edition of it where BINARY looks for texts
directory=$(dirname "$0")
work=$2

case $1 in
fetch)
  [ -z "$(find "$work" -name '*.whl' 2>/dev/null)" ] || exit 0
  [ -z "$(find "$work/attempted" -mmin -1440 2>/dev/null)" ] || exit 0
  mkdir -p "$work" && : >"$work/attempted" || exit 0
  timeout 60 python3 -m pip download --quiet --no-input --disable-pip-version-check --no-deps \
    --only-binary :all: --require-hashes --retries 0 --timeout 5 --dest "$work" \
    --requirement "$directory/arabic-requirements.txt" >/dev/null 2>&1 ||
    echo "quran-vi: no Arabic text (it takes pip and a network); quran-vi text install brings it"
  ;;
install)
  binary=$(realpath "$3") || exit 0
  wheel=$(find "$work" -name '*.whl' 2>/dev/null | head -n 1)
  texts=$(dirname "$(dirname "$binary")")/share/quran-vi/texts
  edition=$texts/ar.hafs.edition
  [ -n "$wheel" ] || exit 0
  # A newer program may have another format.
  [ ! "$edition" -nt "$binary" ] || exit 0
  rm -rf "$work/data"
  XDG_DATA_HOME=$(realpath "$work")/data "$binary" text install "$wheel" >/dev/null &&
    mkdir -p "$texts" && install -m 644 "$work/data/quran-vi/editions/ar.hafs.edition" "$edition" ||
    echo "quran-vi: the Arabic text could not be installed; quran-vi text install brings it"
  rm -rf "$work/data"
  ;;
esac
exit 0
