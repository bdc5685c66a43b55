# Flags that older versions of the engine don't know are given only from the version on that has them.
version=$(vllm --version 2>/dev/null | tail -n 1 | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)
since() { [ -n "$version" ] && [ "$(printf '%s\n' "$1" "$version" | sort -V | head -n 1)" = "$1" ]; }
