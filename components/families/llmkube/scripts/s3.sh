# A bucket: requests are signed with the keys of the Secret. AWS_ENDPOINT_URL is another server than Amazon's.
if [ -z "${AWS_ACCESS_KEY_ID:-}" ] || [ -z "${AWS_SECRET_ACCESS_KEY:-}" ]; then
  fail "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are missing: put them into the Secret of spec.sourceSecretRef"
fi
REGION=${AWS_REGION:-us-east-1}
SIGNATURE=aws:amz:$REGION:s3

credentials() {
  printf 'user = "%s:%s"\n' "$(quoted "$AWS_ACCESS_KEY_ID")" "$(quoted "$AWS_SECRET_ACCESS_KEY")"
  if [ -n "${AWS_SESSION_TOKEN:-}" ]; then
    printf 'header = "x-amz-security-token: %s"\n' "$(quoted "$AWS_SESSION_TOKEN")"
  fi
}

object_url() {
  endpoint=${AWS_ENDPOINT_URL:-https://s3.$REGION.amazonaws.com}
  printf '%s/%s/%s' "${endpoint%/}" "$S3_BUCKET" "$(encode "$1" "$PATH_CHARACTERS")"
}

model_url() {
  object_url "$S3_KEY"
}

file_url() {
  object_url "${S3_PREFIX:+${S3_PREFIX%/}/}$1"
}
