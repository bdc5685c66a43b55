# One file to MODEL_PATH.
discard_wrong "$MODEL_PATH"
if [ "$POLICY" = IfNotPresent ] && [ -f "$MODEL_PATH" ]; then
  say "$MODEL_PATH is there"
  rm -f "$MODEL_PATH.tmp"
  exit 0
fi
if [ "$STORAGE" = cache ]; then enter_cache; fi
put_model
leave_cache
