package expression

import "encoding/binary"

// Wider reports whether the range holds more addresses than a prefix of the given length: more than
// 2^(32-v4) or 2^(128-v6).
func (a Addresses) Wider(v4, v6 int) bool {
	if a.Lo.Is4() {
		lo, hi := a.Lo.As4(), a.Hi.As4()
		span := uint64(binary.BigEndian.Uint32(hi[:]) - binary.BigEndian.Uint32(lo[:]))
		return span >= 1<<(32-v4)
	}
	lo, hi := a.Lo.As16(), a.Hi.As16()
	loHigh, loLow := binary.BigEndian.Uint64(lo[:8]), binary.BigEndian.Uint64(lo[8:])
	hiHigh, hiLow := binary.BigEndian.Uint64(hi[:8]), binary.BigEndian.Uint64(hi[8:])
	high := hiHigh - loHigh
	if hiLow < loLow {
		high--
	}
	if v6 > 64 {
		return high > 0 || hiLow-loLow >= 1<<(128-v6)
	}
	return high>>(64-v6) > 0
}
