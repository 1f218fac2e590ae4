package simcloud

import (
	"encoding/hex"
	"strconv"
)

// stream is a small deterministic generator (splitmix64), used instead of math/rand so that a seed
// gives the same account in every Go release.
type stream struct{ state uint64 }

// newStream derives an independent stream from a seed and a path of names.
func newStream(seed uint64, path ...string) *stream {
	return &stream{state: mix(seed, path...)}
}

// mix hashes a seed and a path (FNV-1a over the path, separated by a byte that
// no name holds, then one splitmix round).
func mix(seed uint64, path ...string) uint64 {
	h := uint64(14695981039346656037) ^ seed
	for _, p := range path {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	s := stream{state: h}
	return s.next()
}

func (s *stream) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// share returns a number in [0,1).
func (s *stream) share() float64 { return float64(s.next()>>11) / (1 << 53) }

// below returns a number in [0,n); n must be positive.
func (s *stream) below(n int) int { return int(s.next() % uint64(n)) }

// hex32 returns 32 lower-case hexadecimal digits, the shape of zone, account
// and record identifiers.
func (s *stream) hex32() string {
	var raw [16]byte
	for i := range 2 {
		v := s.next()
		for j := range 8 {
			raw[i*8+j] = byte(v >> (8 * j))
		}
	}
	return hex.EncodeToString(raw[:])
}

// uuid returns a version 4 UUID, the shape of Access and tunnel identifiers.
func (s *stream) uuid() string {
	b := []byte(s.hex32())
	b[12] = '4'
	b[16] = "89ab"[b[16]&3]
	return string(b[0:8]) + "-" + string(b[8:12]) + "-" + string(b[12:16]) + "-" + string(b[16:20]) + "-" + string(b[20:32])
}

// hexID returns the id of one object without keeping a stream.
func hexID(seed uint64, path ...string) string { return newStream(seed, path...).hex32() }

func num(n int) string { return strconv.Itoa(n) }
