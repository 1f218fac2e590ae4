package relational

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The first byte of a packed value tells its encoding.
const (
	packedPlain byte = 0
	packedGzip  byte = 1
	// packedShared is followed by the number of the piece that holds the packed value.
	packedShared byte = 2
)

// packAbove is the size from which a value is compressed: below it, less is saved than the database
// page that holds the value.
const packAbove = 4 << 10

// packer compresses values. It reuses one compressor and is not safe for concurrent use.
type packer struct {
	gz *gzip.Writer
}

// pack gives the stored form of a value; nil stays nil. unpack restores exactly the same bytes.
func (p *packer) pack(value []byte) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	if len(value) > packAbove {
		squeezed, err := p.squeeze(value)
		if err != nil {
			return nil, err
		}
		if len(squeezed) < len(value) {
			return squeezed, nil
		}
	}
	return append([]byte{packedPlain}, value...), nil
}

func (p *packer) squeeze(value []byte) ([]byte, error) {
	return p.stream(func(w io.Writer) error { _, err := w.Write(value); return err })
}

// stream compresses what write writes.
func (p *packer) stream(write func(io.Writer) error) ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte(packedGzip)
	if p.gz == nil {
		gz, err := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
		if err != nil {
			return nil, fmt.Errorf("compress a value: %w", err)
		}
		p.gz = gz
	} else {
		p.gz.Reset(&buf)
	}
	if err := write(p.gz); err != nil {
		return nil, fmt.Errorf("compress a value: %w", err)
	}
	if err := p.gz.Close(); err != nil {
		return nil, fmt.Errorf("compress a value: %w", err)
	}
	return bytes.Clone(buf.Bytes()), nil // without the spare capacity of the buffer
}

// packJSON packs the JSON form of v.
func (p *packer) packJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode a value: %w", err)
	}
	return p.pack(b)
}

// unpacking returns a reader that decompresses a packed value.
func unpacking(stored []byte) (io.ReadCloser, error) {
	if len(stored) == 0 {
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	switch stored[0] {
	case packedPlain:
		return io.NopCloser(bytes.NewReader(stored[1:])), nil
	case packedGzip:
		gz, err := gzip.NewReader(bytes.NewReader(stored[1:]))
		if err != nil {
			return nil, fmt.Errorf("decompress a stored value: %w", err)
		}
		return gz, nil
	case packedShared:
		return nil, errChunk // resolve did not find the piece
	default:
		return nil, errors.New("a stored value has a form this version does not know; it may have been written by a newer one")
	}
}

// unpack gives a packed value as a whole.
func unpack(stored []byte) ([]byte, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	if stored[0] == packedPlain {
		return stored[1:], nil
	}
	r, err := unpacking(stored)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("decompress a stored value: %w", err)
	}
	return b, nil
}

// unpackJSON decodes a value packed by packJSON.
func unpackJSON(stored []byte, into any) error {
	b, err := unpack(stored)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("decode a stored value: %w", err)
	}
	return nil
}
