"""Texts that are a secret by their form alone, wherever they are.

They are searched for in manifests (:mod:`modelservices.kubernetes.secrets`) and hidden in messages: a finding may be
about a field that has a token in place of a name, but must not print it.
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
    r"|pul-[0-9a-f]{40}(?![0-9a-f])|dapi[0-9a-f]{32}(?:-[0-9])?(?![0-9a-f])|do[op]_v1_[0-9a-f]{64}|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9_.-]{20,}"
    r"|(?:gldt|glrt|glcbt|glft|gloas|glsoat|glimt|glagent|glptt|glffct)-[A-Za-z0-9_-]{20,}|gh[a-z]_[A-Za-z0-9]{36,}"
    r"|xapp-[0-9]-[A-Za-z0-9-]{20,}|[sr]k_test_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"
    r"|lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,}|PMAK-[A-Za-z0-9-]{50,}"
    r"|sntry[su]_[A-Za-z0-9+/=_]{40,}|NRAK-[A-Z0-9]{27}|glc_[A-Za-z0-9+/=]{32,}|dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"
    r"|tskey-[a-z]+-[A-Za-z0-9-]{16,}|sbp_[a-f0-9]{40}|pplx-[A-Za-z0-9]{40,}|tvly-[A-Za-z0-9-]{20,}|lsv2_[a-z]{2}_[A-Za-z0-9_]{32,}"
    r"|pcsk_[A-Za-z0-9_]{40,}|fw_[A-Za-z0-9]{20,}|bkua_[A-Za-z0-9]{40}|CCIPAT_[A-Za-z0-9_]{20,}|rubygems_[0-9a-f]{48}"
    r"|dckr_oat_[A-Za-z0-9_-]{20,}|HRKU-[A-Za-z0-9_-]{36,}|LTAI[A-Za-z0-9]{16,24}|GOCSPX-[A-Za-z0-9_-]{28}|ATATT3[A-Za-z0-9_=-]{100,}"
    r"|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}|figd_[A-Za-z0-9_-]{40,}|pnu_[A-Za-z0-9]{36}|fo1_[A-Za-z0-9_-]{40,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"  # JSON Web Token
    r")|-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
)
URL_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#@:]{0,200}:([^\s/?#@]{1,500})@")
URL_TOKEN = re.compile(r"://(?=[A-Za-z_.~%-]{0,60}[0-9])([A-Za-z0-9_.~%-]{20,200}):?@")
"""A token as the user in a URL."""
HIDDEN = "(a secret)"
_KEY_TO_THE_END = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*", re.DOTALL)


def without_secrets(text: str) -> str:
    """The text without the parts that are secrets by their form."""
    text = TOKENS.sub(HIDDEN, _KEY_TO_THE_END.sub(HIDDEN, text))
    if "@" not in text:
        return text
    text = URL_TOKEN.sub(lambda match: match[0].replace(match[1], HIDDEN), text)
    return URL_PASSWORD.sub(lambda match: match[0].replace(f":{match[1]}@", f":{HIDDEN}@"), text)
