# One file at MODEL_SOURCE (or /host-model/model.gguf, or S3_KEY of the bucket) to MODEL_PATH.
copy() {
  if cp /host-model/model.gguf "$MODEL_PATH.tmp"; then
    finish "$MODEL_PATH.tmp" "$MODEL_PATH"
  else
    rm -f "$MODEL_PATH.tmp"
    return 1
  fi
}

address() {
  if [ "$ORIGIN" = s3 ]; then
    s3_url "$S3_KEY"
    return
  fi
  # Hugging Face shows a page at "blob" and gives the file at "resolve".
  case $MODEL_SOURCE in
    https://huggingface.co/*/blob/*) encode "${MODEL_SOURCE%%/blob/*}/resolve/${MODEL_SOURCE#*/blob/}" "$URL_CHARACTERS" ;;
    *) encode "$MODEL_SOURCE" "$URL_CHARACTERS" ;;
  esac
}

if [ "$POLICY" = IfNotPresent ] && [ -f "$MODEL_PATH" ]; then
  say "$MODEL_PATH is there"
  rm -f "$MODEL_PATH.tmp"
  exit 0
fi
if [ "$STORAGE" = cache ]; then enter_cache; fi
if [ "$ORIGIN" != local ]; then
  stage "$(address)" "$MODEL_PATH" || fail "could not download the model"
elif [ "$STORAGE" = cache ]; then
  [ -f "$MODEL_PATH" ] || copy || fail "could not copy $MODEL_SOURCE"
else
  fail "a model on the node ($MODEL_SOURCE) needs the model cache, which is off"
fi
leave_cache
