"""How secrets look: keys with a prefix, headers, blocks of keys, passwords in addresses and in commands."""

from __future__ import annotations

import re


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE)


PRIVATE_KEY = _compiled(
    r"""-----BEGIN[ ](?:[A-Z0-9]{1,20}[ ]){0,3}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
    [^-]{0,20000}(?:-(?!-----?(?:END|BEGIN)[ ]|----(?:END|BEGIN)[ ])[^-]{0,20000}){0,2000}
    (?:-----END[ ](?:[A-Z0-9]{1,20}[ ]){0,3}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----)?"""
)
"""A key block of PEM or PGP; a cut one goes as far as it is there. Source: RFC 7468; RFC 1421 for its headers."""

JWT = _compiled(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}(?:\.[A-Za-z0-9_-]{0,8000}){4}"
)
"""A signed token: two objects in base64url, and a signature; an encrypted one: five pieces. Source: RFC 7519; RFC 7516."""

HEADER = _compiled(
    r"""[aApPxX](?i:(?<=a)uthorization|(?<=a)pi-key|(?<=p)rivate-token|(?<=x)-(?:auth|access|amz-security)-token)
    \\{0,7}["']?[ ]{0,2}[:=][ ]{0,2}\\{0,7}["']?
    (?:(?i:bearer|basic|token|apikey)[ ]{1,4})?
    (?P<value>(?!\$)(?:(?i:digest|aws4-hmac-sha256|hawk|signature)[ ][^\r\n]{8,2000}|[A-Za-z0-9_.~+/=%|:;-]{8,4000}))"""
)
"""The value of a header that lets somebody in. Source: RFC 9110, "Authorization"; RFC 7616."""

COOKIE = _compiled(
    r"""(?i:cookie)\\{0,7}["']?[ ]{0,2}[:=][ ]{0,2}\\{0,7}["']?
    (?P<value>[A-Za-z0-9_.$-]{1,80}=[^\s;"'\\,]{0,4000}(?:;[ ]{0,2}[A-Za-z0-9_.$-]{1,80}(?:=[^;"'\\\r\n]{0,4000})?){0,100})"""
)
"""All pairs of a cookie's header: any of them may let somebody in. Source: RFC 6265."""

BEARER = _compiled(r"(?i:bearer)[ ](?P<value>[A-Za-z0-9_.~+/=-]{16,4000})")
"""A bearer token outside its header. Source: RFC 6750."""

PREFIXED = _compiled(
    r"""(?<![A-Za-z0-9_])(?:
    sk-[A-Za-z0-9_.-]{12,400}
    |gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255}|glpat-[A-Za-z0-9_-]{20,255}
    |xox[abeprs]-[A-Za-z0-9-]{10,255}|xapp-[0-9]-[A-Za-z0-9-]{10,255}
    |(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])
    |AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,400}|GOCSPX-[A-Za-z0-9_-]{20,60}
    |(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{20,120}
    |hf_[A-Za-z0-9]{30,60}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{40,400}|dop_v1_[0-9a-f]{64}
    |SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{30,60}|tvly-[A-Za-z0-9_-]{16,80}|gsk_[A-Za-z0-9]{30,80}|xai-[A-Za-z0-9]{40,120}|pplx-[A-Za-z0-9]{32,80}
    |r8_[A-Za-z0-9]{30,60}|lin_api_[A-Za-z0-9]{30,60}|ntn_[A-Za-z0-9]{40,60}|dapi[0-9a-f]{32}|AGE-SECRET-KEY-1[0-9A-Z]{58}
    |LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])
    |shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}(?![A-Za-z0-9])|hv[sbr]\.(?=[A-Za-z_-]{0,23}[0-9])[A-Za-z0-9_-]{24,300}
    |dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}(?![A-Za-z0-9])
    |[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.(?=[A-Za-z_-]{0,39}[0-9])[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])
    |https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,200}
    |https://discord(?:app)?\.com/api/webhooks/[0-9]{10,25}/[A-Za-z0-9_-]{20,120}
    |[0-9]{8,10}:AA[A-Za-z0-9_-]{30,36}(?![A-Za-z0-9_-])
    )"""
)
"""Keys that say whose they are. Source: the vendors' documented prefixes."""

URL_PASSWORD = _compiled(r"(?<=://)[A-Za-z0-9._%+~-]{0,80}:(?P<value>[^\s/\"'<>\\{}$]{3,200})@(?=[A-Za-z0-9\[.-])")
"""A password in front of a host: all to the last ``@`` before it. Source: RFC 3986, "User Information"."""

SIGNED_URL = _compiled(r"[?&](?:sig|[Ss]ignature|X-Amz-Signature|X-Goog-Signature)=(?P<value>[A-Za-z0-9%+/=_-]{16,600})")
"""The signature of an address that lets everybody in who has it."""

COMMAND = _compiled(
    r"""[msc-](?:(?<=\bm)ysql(?:dump|admin|import)?\b[^\n]{0,160}?[ ]-p
    |(?<=\bs)shpass[ ]-p[ ]?
    |(?<=\bc)url\b[^\n]{0,200}?[ ](?:-u|--user|--proxy-user)[ ]?["']?[A-Za-z0-9_.@-]{1,80}:
    |(?<=-)-(?:password|passwd|pass|passphrase|pwd|token|secret|api-key|apikey|access-token|auth-token|client-secret)[ ]{1,4}["']?)
    (?P<value>(?![$<{-])[^\s"'\\`;|]{5,200})"""
)
"""A password as commands take it."""

NETRC = _compiled(
    r"""(?:machine(?:\s|\\{1,7}[nrt]){1,9}[^\s\\]{1,200}|default)(?:\s|\\{1,7}[nrt]){1,9}login(?:\s|\\{1,7}[nrt]){1,9}[^\s\\]{1,100}
    (?:\s|\\{1,7}[nrt]){1,9}password(?:\s|\\{1,7}[nrt]){1,9}(?P<value>[^\s"'\\]{3,200})"""
)
"""A password of ``.netrc``. Source: GNU Inetutils, "The .netrc file"."""

HINTED = _compiled(
    r"""(?:secret|Secret|SECRET|token|Token|TOKEN|passw|Passw|PASSW|passphrase|Passphrase|credential|Credential|api[ ]key|API[ ]key|Api[ ]key
    |access[ ]key|Access[ ]key|密码|密钥|口令|令牌)
    [^\n]{0,40}?(?<![A-Za-z0-9_./+-])(?P<value>[A-Za-z0-9_+/=-]{16,200})(?![A-Za-z0-9_/+])"""
)
"""A random string close behind a word that announces a secret."""
