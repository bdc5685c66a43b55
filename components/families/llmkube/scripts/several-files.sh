# The files of MODEL_FILES (one a line) to CACHE_DIR.

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
    stage "$(file_url "$file")" "$CACHE_DIR/$file" || fail "could not download $file"
  fi
done << FILES
$MODEL_FILES
FILES
leave_cache
