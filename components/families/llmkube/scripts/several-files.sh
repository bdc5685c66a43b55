# The files of MODEL_FILES (one a line), below MODEL_SOURCE or S3_PREFIX of the bucket, to CACHE_DIR.
repository_url() {
  revision=main
  case $1 in
    *@*) revision=${1##*@} ;;
  esac
  printf 'https://huggingface.co/%s/resolve/%s' "${1%@*}" "$revision"
}

address() {
  if [ "$ORIGIN" = s3 ]; then
    s3_url "${S3_PREFIX:+${S3_PREFIX%/}/}$1"
    return
  fi
  case $MODEL_SOURCE in
    hf://*) base=$(repository_url "${MODEL_SOURCE#hf://}") ;;
    *://*) base=${MODEL_SOURCE%/} ;;
    *) base=$(repository_url "$MODEL_SOURCE") ;;
  esac
  printf '%s/%s' "$(encode "$base" "$URL_CHARACTERS")" "$(encode "$1" "$PATH_CHARACTERS")"
}

# What earlier downloads left behind of files that are wanted no more.
remove_leftovers() {
  find "$CACHE_DIR" -type f -name '*.tmp' | while IFS= read -r part; do
    name=${part#"$CACHE_DIR/"}
    printf '%s\n' "$MODEL_FILES" | grep -F -x -q -e "${name%.tmp}" || rm -f "$part"
  done
}

enter_cache
remove_leftovers
while IFS= read -r file; do
  if [ -n "$file" ]; then
    mkdir -p "$(dirname "$CACHE_DIR/$file")"
    stage "$(address "$file")" "$CACHE_DIR/$file" || fail "could not download $file"
  fi
done << FILES
$MODEL_FILES
FILES
leave_cache
