"""Signed tokens as attackers make them, with joserfc's own algorithms and keys.

Each is right in all but one thing, so that nothing else can be the reason why it is refused.
"""

import base64
import hmac
import json

from joserfc.jwk import ECKey, RSAKey
from joserfc.jws import JWSRegistry

ELSEWHERE = "http://127.0.0.1:9/keys"


def encoded(value):
    if not isinstance(value, bytes):
        value = (value if isinstance(value, str) else json.dumps(value)).encode()
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def parts(token):
    """Header and claims of a compact token, unverified."""
    header, claims, _ = token.split(".")
    return json.loads(decoded(header)), json.loads(decoded(claims))


def compact(header, claims, key=None):
    """A token with just this header, signed as its `alg` says."""
    text = f"{encoded(header)}.{encoded(claims)}"
    algorithm = JWSRegistry.algorithms.get(header["alg"])
    signature = algorithm.sign(text.encode(), key) if algorithm and key else b""
    return f"{text}.{encoded(signature)}"


def by_public_key(header, claims, public):
    """HS256 with the bytes of a public key as the secret, in the forms in which programs hold keys."""
    dictionary = public.as_dict(private=False)
    forms = {
        "PEM": public.as_pem(private=False), "PEM without its last line break": public.as_pem(private=False).rstrip(),
        "DER": public.as_der(private=False), "JWK": json.dumps(dictionary).encode(), "kid": dictionary.get("kid", "").encode(),
        "x": decoded(dictionary.get("x") or dictionary["n"]), "nothing": b"\0"}
    for name, secret in forms.items():
        # joserfc itself takes no public key for a secret.
        text = f"{encoded({**header, 'alg': 'HS256'})}.{encoded(claims)}"
        yield f"HS256 by the {name} of the public key", f"{text}.{encoded(hmac.digest(secret, text.encode(), 'sha256'))}"


def unsigned(header, claims):
    for name in ("none", "None", "NONE", "nOnE", ""):
        yield f"alg {name or 'empty'}", compact({**header, "alg": name}, claims)


def extended(header, claims, key):
    """Headers that name keys, or demand what nobody understands, above a signature that is right by `key`."""
    for name, more in {
        "jku": {"jku": ELSEWHERE}, "x5u": {"x5u": ELSEWHERE}, "crit without what it names": {"crit": ["exp"]},
        "crit of a header of its own": {"crit": ["urn:example"], "urn:example": True}, "crit empty": {"crit": []},
        "b64 false": {"b64": False, "crit": ["b64"]}, "b64 true": {"b64": True, "crit": ["b64"]}, "b64 alone": {"b64": False},
    }.items():
        yield name, compact({**header, **more}, claims, key)
    yield "alg as a list", f"{encoded({**header, 'alg': [header['alg']]})}.{encoded(claims)}.{encoded(b'x' * 64)}"


def foreign(header, claims, algorithm):
    """Tokens that somebody else's key signed, which they bring along."""
    key = RSAKey.generate_key(2048) if algorithm in ("RS256", "PS256") else ECKey.generate_key("P-256")
    used = algorithm if algorithm in ("RS256", "PS256") else "ES256"
    header = {**header, "alg": used}
    yield "signed by another key", compact(header, claims, key)
    yield "signed by the key in jwk", compact({**header, "jwk": key.as_dict(private=False)}, claims, key)
    yield "signed by the key at jku", compact({**header, "jku": ELSEWHERE}, claims, key)
    yield "signed by the key at x5u", compact({**header, "x5u": ELSEWHERE}, claims, key)
    for kid in ("", "../../../../dev/null", "' OR 1=1 --", "a" * 5000):
        yield f"kid {kid[:20] or 'empty'}", compact({**header, "kid": kid}, claims, key)
    yield "no kid", compact({name: value for name, value in header.items() if name != "kid"}, claims, key)


def tampered(token):
    """A right token that was touched, or is written in another way."""
    header, claims, signature = token.split(".")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    raw = decoded(signature)
    yield "without its signature", f"{header}.{claims}."
    yield "without the last part", f"{header}.{claims}"
    yield "with a fourth part", f"{token}.{signature}"
    yield "signature of zeros", f"{header}.{claims}.{encoded(bytes(len(raw)))}"
    yield "half of its signature", f"{header}.{claims}.{encoded(raw[:len(raw) // 2])}"
    yield "one more byte of signature", f"{header}.{claims}.{encoded(raw + bytes(1))}"
    yield "padded", token + "=" * (-len(signature) % 4 or 4)
    yield "other claims", f"{header}.{encoded({**json.loads(decoded(claims)), 'scope': 'vend openid', 'sub': 'root'})}.{signature}"
    yield "claims twice", f"{header}.{encoded(decoded(claims)[:-1] + b',' + decoded(claims)[1:])}.{signature}"
    yield "as JSON", json.dumps({"payload": claims, "signatures": [{"protected": header, "signature": signature}]})
    if len(signature) % 4:
        # The last letter has bits that decode to nothing.
        yield "not canonical", token[:-1] + letters[letters.index(token[-1]) ^ 1]
