"""Texts that are a secret by their form alone, whatever holds them.

They are looked for in manifests (:mod:`modelservices.kubernetes.secrets`), and hidden in everything that is said about
them: a finding may name a field that was given a token instead of a name, but not print it.
"""

import re

TOKENS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:hf_|api_org_)[A-Za-z0-9]{20,}"  # Hugging Face
    r"|sk-[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{20,}|nvapi-[A-Za-z0-9_-]{30,}|r8_[A-Za-z0-9]{30,}"  # model APIs
    r"|xai-[A-Za-z0-9]{20,}|[sr]k_live_[A-Za-z0-9]{16,}|glsa_[A-Za-z0-9_]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}"
    r"|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"
    r"|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}"  # repositories
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}|dckr_pat_[A-Za-z0-9_-]{20,}"  # packages, images
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}"  # clouds
    r"|hv[sb]\.[A-Za-z0-9_-]{20,}|xox[abeoprs]-[A-Za-z0-9-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"  # JSON Web Token
    r")|-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
)
URL_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#@:]{0,200}:([^\s/?#@]{1,500})@")
HIDDEN = "(a secret)"
_KEY_TO_THE_END = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*", re.DOTALL)


def without_secrets(text: str) -> str:
    """The text with what its form gives away as a secret left out."""
    text = TOKENS.sub(HIDDEN, _KEY_TO_THE_END.sub(HIDDEN, text))
    if "@" not in text:
        return text
    return URL_PASSWORD.sub(lambda found: found[0].replace(f":{found[1]}@", f":{HIDDEN}@"), text)
