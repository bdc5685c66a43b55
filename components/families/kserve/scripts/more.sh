# VLLM_ADDITIONAL_ARGS and the container's args are shell text, as KServe has it: an item may hold quotes.
set -f
eval "more=(${VLLM_ADDITIONAL_ARGS-} $*)" || exit 2
