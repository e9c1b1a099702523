#!/bin/sh
# Install the telnet and MUD clients that the integration tests drive, where that can be done:
# with apt-get, as root. Anywhere else, say what is missing; the tests that need it are skipped.
set -eu
PATH=$PATH:/usr/games # Debian puts tt++ there

missing=
while read -r program package; do
  command -v "$program" >/dev/null 2>&1 || missing="$missing $package"
done <<CLIENTS
telnet inetutils-telnet
tt++ tintin++
tf5 tf5
plink putty-tools
nc netcat-openbsd
openssl openssl
tmux tmux
chromium chromium fonts-dejavu-core
CLIENTS
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "Some client programs are missing, so their tests will be skipped. On Debian: sudo apt-get install$missing" >&2
  exit 0
fi
echo "Installing client programs:$missing ..."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # one word a package
if ! { apt-get update && apt-get install --yes --no-install-recommends $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
