set -eu
KITOPS_HOME="${KITOPS_HOME:-/tmp/model-oci}"
export KITOPS_HOME
mkdir -p "$KITOPS_HOME"
exec kit unpack "$OCI_MODEL_IMAGE" "$@" --overwrite --dir "$MODEL_MOUNT_PATH"
