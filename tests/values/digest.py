"""The hash of a tensor's bytes, version 1, in plain integers: what proto/digest.h says, written anew."""

MASK = (1 << 64) - 1


def lane_sum(data):
    total = 0
    for i in range(0, len(data), 16):
        lane = data[i:i + 16].ljust(16, b"\0")
        k = (i // 16) * 0x9E3779B97F4A7C15 & MASK
        low = int.from_bytes(lane[:8], "little") ^ (0x243F6A8885A308D3 + k & MASK)
        high = int.from_bytes(lane[8:], "little") ^ (0x13198A2E03707344 - k & MASK)
        product = low * high
        total = total + ((product & MASK) ^ (product >> 64)) & MASK
    return total


def hash_of(data):
    x = lane_sum(data) + len(data) * 0xD1B54A32D192ED03 & MASK
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        x ^= x >> 33
        x = x * factor & MASK
    return x ^ x >> 33
