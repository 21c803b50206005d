"""Texts with what must be hidden in them between « and », and texts in which nothing may be.

All values are invented. A ``~`` is taken out: it keeps scanners of others from taking an example for a leak.
"""

from __future__ import annotations

POSITIVE: dict[str, tuple[str, ...]] = {
    "key of a model provider": (
        "export OPENAI_KEY_FILE=x; curl with «sk-~proj-Ab3dEf6hIj9kLmN2pQr5tUv8xYz1» now",
        '{"api_key": "«sk-~ant-api03-Zx81mQpL0aVbNc77-TtYhWq2eR»"}',
        "gemini: «AIza~SyD3mQ8xR2vT7bN1cK5pL9wE4hG6jF0aZsX»",
        "huggingface-cli login --token «hf_~QwErTyUiOpAsDfGhJkLzXcVbNm1234»",
        'client = Groq("«gsk_~9aLmN4bVcX7zQwE2rTyUiOp5AsDfGhJk»")',
        "Tavily «tvly-~dev-abc123DEF456ghi789JKL»",
    ),
    "token of a code host": (
        "git clone failed for «ghp_~A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8»",
        "«github_~pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789»",
        "remote: using «glpat-~x9Kq2Lm7Np4Rt6Vw8Yz1»",
        "npm publish with «npm_~aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5»",
        "twine: «pypi-~AgEIcHlwaS5vcmcCJGFiY2RlZjAxLTIzNDUtNjc4OS1hYmNk»",
    ),
    "token of a service": (
        "slack «xoxb-~210987654321-123456789012-AbCdEfGhIjKlMnOp»",
        "stripe «sk_~live_4eC39HqLyjWDarjtT1zdp7dc»",
        "sendgrid «SG.~ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc1b5cr4»",
        "webhook «whsec_~MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw»",
        "digitalocean «dop_~v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»",
    ),
    "key of a cloud": (
        "aws_access_key_id = «AKIA~Q3EGZ7YVNK2M4P5R»",
        "aws_secret_access_key = «wJalr~XUtnFEMI/K7MDENG/bPxRfiCYz9QWERTY00»",
        '{"AccessKeyId": "«ASIA~Q3EGZ7YVNK2M4P5R»"}',
        "oauth «GOCSPX-~a1B2c3D4e5F6g7H8i9J0k1L2m3N4»",
        "aliyun «LTAI~5tAbCdEfGhIjKlMnOpQr»",
    ),
    "signed token": (
        "«eyJ~hbGciOiJIUzI1NiJ9.eyJ~zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U»",
        "cookie jwt=«eyJ~hbGciOiJub25lIn0.eyJ~pc3MiOiJqb2UifQ.»",
        '{"id_token":"«eyJ~raWQiOiIxIn0xx.eyJ~hdWQiOiJkZW1vIn0x.c2lnbmF0dXJl»"}',
    ),
    "header": (
        "Authorization: Bearer «mF_9.B5f-4.1JqM~qweRTY»",
        "curl -H 'X-Api-Key: «7f9a~1c3e5b7d9f1a3c5e»' https://demo.invalid",
        '{"headers":{"Authorization":"Basic «YWxhZGRpbjpvcGVuc2VzYW1l»"}}',
        "Set-Cookie: «session_id=38afes7a8d9f0c1b;» Path=/",
        'fetch(u, {headers: {authorization: "Bearer «q8ZpL3nV5xC7bM1kJ9hG~2fD4»"}})',
    ),
    "private key": (
        "«-----BEGIN~ RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq8\nq0Zl3f==\n-----END RSA PRIVATE KEY-----»",
        '{"private": "«-----BEGIN~ PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQ\\n-----END PRIVATE KEY-----»\\n"}',
        "«-----BEGIN~ OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA»",
    ),
    "password in an address": (
        "postgres://admin:«S3cr~etPw»@db.demo.invalid:5432/app",
        "https://deploy:«tok3n~Value99»@git.demo.invalid/team/repo.git",
        "redis://:«h7Gk~29xQ»@10.1.2.3:6379/0".replace("10.1.2.3", "cache"),
        "mongodb+srv://app:«pa55w~0rd-long»@cluster0.demo.invalid",
        "amqp://guest:«r4bbit~MQ1»@mq:5672",
    ),
    "named secret": (
        "DB_PASSWORD=«correct-horse-~battery»",
        'DJANGO_SECRET_KEY="«k3y!x9$~vQ2»"',
        "STRIPE_WEBHOOK_SECRET: «a8f5f167f44f4964~e6c998dee827110c»",
        "password: «hunter2~hunter2»",
        "client_secret=«Zm9vYmFyYmF6~cXV4»&grant_type=client_credentials",
        '{"refresh_token": "«1//0gLongRefresh~TokenValue»"}',
        "数据库密码：«Tianji@~2025xyz»",
        '"{\\"api_key\\": \\"«abcd~EFGH1234ijkl»\\"}"',
        "NPM_TOKEN=«0a1b2c3d-4e5f-6789~-abcd-ef0123456789»",
    ),
    "e-mail address": (
        "Write to «ann.lee+test@mail.demo.invalid» today",
        "联系人«zhang.san@example.invalid»，谢谢",
        '{"user":"«bob_77@example.museum»"}',
        "From: Carl <«carl@sub.example.invalid»>",
        '"to": "«dora\\u0040example.invalid»"',
        "mailto:«eve%40x@example.invalid»",
    ),
    "telephone number": (
        "电话 «19900000001»。",
        "手机：«+86 199-0000-0000»",
        "call «+49 30 901820 55» after 9",
        "phone «(415) 555-0123»",
        "fax «415-555-0199»",
        "«+44 20 7946 0958»",
        "WhatsApp «+14155550123»",
        "«199 0000 0000» 是备用号",
    ),
    "identity number": (
        "证件 «990000190001010016»",
        "身份证号:«110105194912310021»,".replace("110105194912310021", "11010519491231002X"),
        '{"id_card": "«990000200012311232»"}',
    ),
    "card number": (
        "card «4111 1111 1111 1111»".replace("4111 1111 1111 1111", "4242 4242 4242 4242"),
        "Visa: «4111111111111111»",
        "MC «5555-5555-5555-4444»",
        "amex «3782 822463 10005»",
        "discover «6011111111111117»",
    ),
    "random text after a telling word": (
        "the new token is Qx7Zp2Lm9Kv4Rt8W, keep it".replace("Qx7Zp2Lm9Kv4Rt8W", "«Qx7Zp2Lm9Kv4Rt8W»"),
        "My secret for staging → «aB3xY9pQ7rT2mN8kL5vC»",
        "口令就是 «Jk8Lm2Np5Qr9St3V»，别外传",
        "password for the vault (new): «T7uV2wX9yZ4aB6cD»",
    ),
}
"""By kind."""

NEGATIVE: tuple[str, ...] = (
    "550e8400-e29b-41d4-a716-446655440000",
    "request id 7c9e6679-7425-40de-944b-e07fc1f90ae7 done",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "index e69de29..d95f3ad 100644",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity sha512-9/6qHqPzRDmcFSyfY2CkUYlPsV5gqKDzpo5T7gUAWNN0",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "!function(e,t){for(var n=0;n<e.length;n++)t(e[n])}(a,function(r){return r.key=1})",
    'var a=b.token||c;d.secret=function(){return e(f)};g="x"',
    "function h(t){this.accessToken=t.accessToken;this.password=t.password}",
    "PATH=/usr/bin:/usr/local/bin",
    "MAX_TOKENS=4096 CACHE_TOKENS=1200",
    "max_tokens: 4096, total_tokens=123456789",
    "input_tokens=12003 output_tokens=880 cached_tokens=11776",
    "primary_key=True, foreign_key=customer_id",
    "sort_key: created_at",
    "const API_KEY = process.env.OPENAI_API_KEY;",
    "api_key = os.environ['OPENAI_API_KEY']",
    "api_key=settings.openai.api_key",
    "password: string",
    "password = getpass()",
    "password: ${DB_PASSWORD}",
    "password=********",
    "API_KEY=",
    "API_KEY=<your key here>",
    "SECRET_KEY=changeme",
    "the secret of good tea is patience",
    "token limit exceeded for claude-sonnet-4-20250514",
    "token counts: gpt-4o-mini-2024-07-18 uses o200k_base",
    "the password field is optional in src/auth/LoginForm2.tsx today",
    "tokens are read in tests/test_tokenizer_v2.py::test_limit",
    "toolu_01A09q90qw90lq917835lq9",
    "call_abc123DEF456ghi789JKL012",
    "chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ12",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
    "pkg@1.2.3",
    "npm i @types/node@20.11.5",
    "@app.route('/x')",
    "user@host",
    "https://demo.invalid:8443/a/b",
    "http://localhost:8600/calls?budget=16000",
    "https://user@demo.invalid/x",
    "ssh://host:22/path@2x.png",
    "1741600000000",
    "订单号 20250310199000000",
    "营收增长 +100 000 000。",
    "+12 345 678 900 of revenue",
    "990000190001010017",
    "4111 1111 1111 1112",
    "1234567890123456",
    "0000 0000 0000 0000",
    "order 5500000000000005",
    "2026-11-03T09:14:07.123456Z",
    "2026-11-30 12:00:00 +0800",
    "version 10.15.7 build 19H2",
    "lines 200-300-4000",
    "ISBN 978-3-16-148410-0",
    "x = 3.14159265358979",
    "[4096-3481] passed in 0.02s",
    "0x7ffee4c0a9d8",
    "AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 is the start of a public key",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq\n-----END CERTIFICATE-----",
    "Bearer tokens are described in RFC 6750",
    "Authorization: required",
    "sk-learn and sk-image are packages",
    "risk-assessment-of-the-new-plan",
    "src/components/AuthorizationHeaderForm.test.tsx",
    "camelCaseNameOfAFunctionThatIsVeryLong2",
    "monkey=banana keyboard=qwerty",
    "see RFC 7519 for eyJ in tokens",
    "tel: n/a",
    "13 of 19000 rows, 1380 of 0000",
    "call_19900000001",
    "Zeile 1 von 20250310 und 19900000",
    "token_type=bearer&expires_in=3600",
)
"""Nothing here is a secret."""


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without its marks, and the stretches between them."""
    plain, spans, start = "", [], 0
    for letter in text.replace("~", ""):
        if letter == "«":
            start = len(plain)
        elif letter == "»":
            spans.append((start, len(plain)))
        else:
            plain += letter
    return plain, spans
