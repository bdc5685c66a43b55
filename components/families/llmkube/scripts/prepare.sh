# Hands the root of the model cache to OWNER with MODE. Not what is in it: files belong to whoever downloaded them.
set -eu
fail() {
  echo "model-cache-prep: $*" >&2
  exit 1
}
chown "$OWNER" /models || fail "can't give /models to $OWNER: does the storage allow a change of owner?"
chmod "$MODE" /models || fail "can't set mode $MODE on /models"
