# A source on the web or on Hugging Face.
SIGNATURE=

# Characters of a URL that someone wrote which stay as they are.
URL_CHARACTERS="]A-Za-z0-9/._~:?#[@!\$&'()*+,;=%-"

# The token is for Hugging Face only; curl itself does not send it on when it is redirected to another host.
credentials() {
  case $1 in
    https://huggingface.co/*)
      if [ -n "${HF_TOKEN:-}" ]; then printf 'header = "Authorization: Bearer %s"\n' "$(quoted "$HF_TOKEN")"; fi
      ;;
  esac
}

# Hugging Face shows a page at "blob" and gives the file at "resolve".
model_url() {
  case $MODEL_SOURCE in
    https://huggingface.co/*/blob/*) url=${MODEL_SOURCE%%/blob/*}/resolve/${MODEL_SOURCE#*/blob/} ;;
    *) url=$MODEL_SOURCE ;;
  esac
  encode "$url" "$URL_CHARACTERS"
}

repository_url() {
  revision=main
  case $1 in
    *@*) revision=${1##*@} ;;
  esac
  printf 'https://huggingface.co/%s/resolve/%s' "${1%@*}" "$revision"
}

file_url() {
  case $MODEL_SOURCE in
    hf://*) base=$(repository_url "${MODEL_SOURCE#hf://}") ;;
    *://*) base=${MODEL_SOURCE%/} ;;
    *) base=$(repository_url "$MODEL_SOURCE") ;;
  esac
  printf '%s/%s' "$(encode "$base" "$URL_CHARACTERS")" "$(encode "$1" "$PATH_CHARACTERS")"
}
