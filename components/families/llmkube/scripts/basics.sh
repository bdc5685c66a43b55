# Set before this script: POLICY (IfNotPresent, OnChange), STORAGE (cache, emptyDir) and SHA256 (of the file, or empty).
# From the environment: MODEL_SOURCE, CACHE_DIR, and MODEL_PATH or MODEL_FILES.
set -eu
export LC_ALL=C
# Files are for the group: the server runs as another user of it.
umask 002

say() {
  printf 'model-downloader: %s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

size() {
  if [ -f "$1" ]; then stat -c %s "$1"; else echo 0; fi
}

# Makes the cache folder. Pods that share a claim take turns at it, so that a model is downloaded once; where the
# storage has no locks they go on without.
enter_cache() {
  mkdir -p "$CACHE_DIR" || fail "can't make $CACHE_DIR"
  [ -w "$CACHE_DIR" ] || fail "can't write to $CACHE_DIR: set podSecurityContext.fsGroup to the group that owns it"
  if [ "$STORAGE" = cache ] && command -v flock > /dev/null; then
    exec 9> "$CACHE_DIR/.lock"
    flock 9 2> /dev/null || say "the storage has no locks: going on without"
  fi
}

leave_cache() {
  if [ "$STORAGE" = cache ]; then rm -f "$CACHE_DIR/.lock"; fi
}

# Whether the file $1 is what the Model says, as far as it says a checksum.
is_right() {
  [ -z "$SHA256" ] || [ "$(sha256sum < "$1" | cut -d ' ' -f 1)" = "$SHA256" ]
}

# Throws the file $1 away when it is not what the Model says: others can write to a cache, too.
discard_wrong() {
  if [ -f "$1" ] && ! is_right "$1"; then
    say "$1 does not have the checksum that the Model says (sha256 $SHA256): it is fetched again"
    rm -f "$1"
  fi
}

# Puts the partial file $1 in its place $2, in one step, if it is what was wanted.
finish() {
  [ -s "$1" ] || fail "the source is empty"
  if ! is_right "$1"; then
    rm -f "$1"
    fail "the file does not have the checksum that the Model says (sha256 $SHA256)"
  fi
  mv -f "$1" "$2"
}
