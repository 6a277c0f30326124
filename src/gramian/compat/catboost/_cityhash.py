"""CityHash64 in its first version, by which CatBoost numbers categories."""

__all__ = ["city_hash"]

_MASK = (1 << 64) - 1
_K0, _K1 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273
_K2, _K3 = 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
_MULTIPLIER = 0x9DDFEA08EB382D69


def city_hash(data: bytes) -> int:
    """Return the 64-bit hash of some bytes.

    References
    ----------
    G. Pike and J. Alakuijala, "Introducing CityHash", Google Open Source Blog, 2011.
    """
    n = len(data)
    if n <= 16:
        return _up_to_16(data)
    if n <= 32:
        return _up_to_32(data)
    return _up_to_64(data) if n <= 64 else _longer(data)


def _word(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _turned(value: int, shift: int) -> int:
    value &= _MASK
    return ((value >> shift) | (value << (64 - shift))) & _MASK if shift else value


def _mixed(value: int) -> int:
    value &= _MASK
    return value ^ (value >> 47)


def _joined(first: int, second: int) -> int:
    first, second = first & _MASK, second & _MASK
    a = _mixed((first ^ second) * _MULTIPLIER)
    return (_mixed((second ^ a) * _MULTIPLIER) * _MULTIPLIER) & _MASK


def _up_to_16(data: bytes) -> int:
    n = len(data)
    if n > 8:
        a, b = _word(data, 0), _word(data, n - 8)
        return _joined(a, _turned(b + n, n)) ^ b
    if n >= 4:
        return _joined(n + (_word(data, 0, 4) << 3), _word(data, n - 4, 4))
    if n:
        y, z = data[0] + (data[n >> 1] << 8), n + (data[n - 1] << 2)
        return (_mixed(y * _K2 ^ z * _K3) * _K2) & _MASK
    return _K2


def _up_to_32(data: bytes) -> int:
    n = len(data)
    a, b = _word(data, 0) * _K1, _word(data, 8)
    c, d = _word(data, n - 8) * _K2, _word(data, n - 16) * _K0
    first = _turned(a - b, 43) + _turned(c, 30) + d
    return _joined(first, a + _turned(b ^ _K3, 20) - c + n)


def _half(words: tuple[int, int, int, int], start: int) -> tuple[int, int]:
    """Return two sums of four words, with what comes before them."""
    a, z = words[0] + start, words[3]
    b, c = _turned(a + z, 52), _turned(a, 37)
    a += words[1]
    c += _turned(a, 7)
    a += words[2]
    return a + z, b + _turned(a, 31) + c


def _up_to_64(data: bytes) -> int:
    n = len(data)
    start = (n + _word(data, n - 16)) * _K0
    first = _half((_word(data, 0), _word(data, 8), _word(data, 16), _word(data, 24)), start)
    ends = (_word(data, n - 32), _word(data, n - 24), _word(data, n - 16), _word(data, n - 8))
    second = _half(ends, _word(data, 16))
    whole = _mixed((first[0] + second[1]) * _K2 + (second[0] + first[1]) * _K0)
    return (_mixed(whole * _K0 + first[1]) * _K2) & _MASK


def _weak(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Return two hashes of 32 bytes."""
    w, x, y, z = (_word(data, at + 8 * k) for k in range(4))
    a += w
    b = _turned(b + a + z, 21)
    start = a
    a += x + y
    b += _turned(a, 44)
    return (a + z) & _MASK, (b + start) & _MASK


def _longer(data: bytes) -> int:
    n = len(data)
    x, y, z = _word(data, 0), _word(data, n - 16) ^ _K1, _word(data, n - 56) ^ _K0
    v = _weak(data, n - 64, n, y)
    w = _weak(data, n - 32, n * _K1, _K0)
    z += _mixed(v[1]) * _K1
    x, y = _turned(z + x, 39) * _K1, _turned(y, 33) * _K1
    for at in range(0, (n - 1) // 64 * 64, 64):
        x = _turned(x + y + v[0] + _word(data, at + 16), 37) * _K1
        y = _turned(y + v[1] + _word(data, at + 48), 42) * _K1
        x, y = x & _MASK ^ w[1], y & _MASK ^ v[0]
        z = _turned(z ^ w[0], 33)
        v = _weak(data, at, v[1] * _K1, x + w[0])
        w = _weak(data, at + 32, z + w[1], y)
        z, x = x, z
    return _joined(_joined(v[0], w[0]) + _mixed(y) * _K1 + z, _joined(v[1], w[1]) + x)
