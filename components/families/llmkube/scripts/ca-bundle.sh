# Lets curl trust the certificate authorities of the ConfigMap beside those of the image.
bundle=$(mktemp)
for roots in "${CURL_CA_BUNDLE:-}" /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem; do
  if [ -f "$roots" ]; then
    cat "$roots" > "$bundle"
    break
  fi
done
for file in /custom-certs/*; do
  if [ -f "$file" ]; then
    echo >> "$bundle"
    cat "$file" >> "$bundle"
  fi
done
export CURL_CA_BUNDLE="$bundle"
