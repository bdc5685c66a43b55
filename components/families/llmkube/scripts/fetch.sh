# Downloads by curl. The script of the source has "credentials" for a URL, "model_url" and "file_url".

# Characters of a file's path that stay as they are in a URL.
PATH_CHARACTERS='A-Za-z0-9/._~-'
BLOCK=65536

# Prints $1 with every byte percent-encoded that is not among the characters $2.
encode() {
  rest=$1
  encoded=
  while [ -n "$rest" ]; do
    first=${rest%"${rest#?}"}
    rest=${rest#?}
    case $first in
      [$2]) encoded=$encoded$first ;;
      *) encoded=$encoded$(printf %s "$first" | od -An -v -tx1 | tr -d '\n' | tr 'a-f ' 'A-F%') ;;
    esac
  done
  printf %s "$encoded"
}

# $1 as it stands between quotes in a curl config.
quoted() {
  printf %s "$1" | sed 's/[\\"]/\\&/g'
}

# Runs curl for the URL $1 with the options that follow. Credentials, as lines of a curl config, come through a pipe:
# neither the process list nor the log ever has them.
request() {
  url=$1
  shift
  credentials "$url" | curl --config - --proto '=http,https' --globoff --fail --location --silent --show-error \
    --connect-timeout 30 --speed-limit 1 --speed-time 120 ${SIGNATURE:+--aws-sigv4 "$SIGNATURE"} "$@" "$url"
}

# Size of what is at the URL $1, empty when its server does not say. Only the last answer after redirects counts.
remote_size() {
  request "$1" --head 2> /dev/null | tr -d '\r' | awk '
    tolower($1) ~ /^http\// { found = "" }
    tolower($1) == "content-length:" { found = $2 }
    END { print found }'
}

# Checksum of the BLOCK of the URL $1 that starts at $2.
remote_block() {
  request "$1" --range "$2-$(($2 + length - 1))" --max-filesize "$length" 2> /dev/null | sha256sum
}

# Whether the partial file $2 is a beginning of what is at the URL $1 now. Its first and last bytes are compared: a file
# that is about to become a model must not be put together from two versions.
is_beginning() {
  have=$(size "$2")
  length=$BLOCK
  [ "$have" -ge "$BLOCK" ] || length=$have
  [ "$have" -gt 0 ] &&
    [ "$(remote_block "$1" 0)" = "$(head -c "$length" "$2" | sha256sum)" ] &&
    [ "$(remote_block "$1" $((have - length)))" = "$(tail -c "$length" "$2" | sha256sum)" ]
}

# Downloads the URL $1 to the end of the partial file $2, and after a broken connection again from where it broke, as
# long as that brings it forward.
transfer() {
  while :; do
    before=$(size "$2")
    result=0
    if [ "$before" -gt 0 ]; then
      request "$1" -C - -o "$2" || result=$?
    else
      request "$1" -o "$2" || result=$?
    fi
    [ "$result" -ne 0 ] || return 0
    [ "$(size "$2")" -gt "$before" ] || return "$result"
    say "the connection broke after $(size "$2") bytes: going on from there"
  done
}

# Downloads the URL $1 to the partial file $2: what an earlier try left is continued if it is still a beginning of it,
# and if the server can't continue, the download starts again.
download() {
  say "downloading ${1%%\?*}"
  if is_beginning "$1" "$2"; then
    say "going on after $(size "$2") bytes"
    if transfer "$1" "$2"; then return 0; fi
  fi
  rm -f "$2"
  transfer "$1" "$2" && return 0
  result=$?
  [ -s "$2" ] || rm -f "$2"
  return "$result"
}

# Makes sure that the file $2 is there, from the URL $1. With policy OnChange a file whose size differs from the
# source's is replaced, and kept when that fails.
stage() {
  if [ -f "$2" ]; then
    if [ "$POLICY" = IfNotPresent ] || { [ -s "$2" ] && [ "$(size "$2")" = "$(remote_size "$1")" ]; }; then
      say "$2 is there"
      rm -f "$2.tmp"
      return 0
    fi
  fi
  if download "$1" "$2.tmp"; then
    finish "$2.tmp" "$2"
  elif [ -f "$2" ]; then
    say "the download failed: keeping $2"
  else
    return 1
  fi
}

put_model() {
  stage "$(model_url)" "$MODEL_PATH" || fail "could not download the model"
}
