# A file of the node, mounted at /host-model/model.gguf.
put_model() {
  [ "$STORAGE" = cache ] || fail "a model on the node ($MODEL_SOURCE) needs the model cache, which is off"
  [ -f "$MODEL_PATH" ] && return
  cp /host-model/model.gguf "$MODEL_PATH.tmp" || fail "could not copy $MODEL_SOURCE"
  finish "$MODEL_PATH.tmp" "$MODEL_PATH"
}
