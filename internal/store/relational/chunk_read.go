package relational

import "encoding/binary"

// chunkReader decodes texts as substrings of one string. After malformed input it is bad and returns
// zero values.
type chunkReader struct {
	rest string
	bad  bool
}

func (r *chunkReader) end() {
	r.rest, r.bad = "", true
}

func (r *chunkReader) number() int {
	n, size := binary.Uvarint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if size <= 0 || n > 1<<31 {
		r.end()
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// count reads a number of items that follow, each at least one byte long.
func (r *chunkReader) count() int {
	n := r.number()
	if n > len(r.rest) {
		r.end()
		return 0
	}
	return n
}

func (r *chunkReader) text() string {
	n := r.count()
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *chunkReader) key() int32 {
	if len(r.rest) < 4 {
		r.end()
		return 0
	}
	n := int32(binary.BigEndian.Uint32([]byte(r.rest[:4])))
	r.rest = r.rest[4:]
	return n
}

func (r *chunkReader) instant() int64 {
	n, size := binary.Varint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		r.end()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *chunkReader) seen(row *chunkRow) {
	if r.rest == "" {
		r.end()
		return
	}
	bits := r.rest[0]
	r.rest = r.rest[1:]
	if bits&hasFirst != 0 {
		row.body.first = r.instant()
	}
	if bits&hasLast != 0 {
		row.body.last = r.instant()
	}
	row.seenNow = bits&lastIsNow != 0
}
