package evidence

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Limits of a bundle that is read, in bytes.
const (
	maxManifest  = 64 << 20
	maxSignature = 4 << 10
	maxPart      = 1 << 30
)

// InvalidError says what is wrong with a bundle, and where.
type InvalidError struct{ Where, What string }

// Error returns one sentence without its full stop.
func (e *InvalidError) Error() string { return e.Where + ": " + e.What }

func invalid(where, format string, args ...any) error {
	return &InvalidError{Where: where, What: fmt.Sprintf(format, args...)}
}

// container reads the entries of a bundle in order. It accepts only what lay and put would have
// written.
type container struct {
	r       *bufio.Reader
	entries []archiveFile
	offset  int64
}

func newContainer(r io.Reader) *container { return &container{r: bufio.NewReaderSize(r, 1<<16)} }

// next reads the entry that must come next, of at most limit bytes.
func (c *container) next(name string, limit int64) ([]byte, error) {
	head := make([]byte, localLen+len(name))
	if err := c.fill(head, name); err != nil {
		return nil, err
	}
	e := archiveFile{name: name, crc: binary.LittleEndian.Uint32(head[14:]), size: int64(binary.LittleEndian.Uint32(head[18:])),
		offset: c.offset}
	if !bytes.Equal(head, e.local()) {
		return nil, invalid(name, "its header at byte %d is not what it must be, or another entry is in its place", c.offset)
	}
	if e.size > limit {
		return nil, invalid(name, "it says that it has %d bytes, and %d are the most", e.size, limit)
	}
	// The buffer grows with the actual data, not with the declared size.
	var data bytes.Buffer
	if n, err := io.CopyN(&data, c.r, e.size); err != nil {
		return nil, broken(name, c.offset+int64(len(head))+n, err)
	}
	if crc32.ChecksumIEEE(data.Bytes()) != e.crc {
		return nil, invalid(name, "its content does not match the checksum in its header")
	}
	c.entries = append(c.entries, e)
	c.offset += int64(len(head)) + e.size
	return data.Bytes(), nil
}

func (c *container) fill(b []byte, where string) error {
	n, err := io.ReadFull(c.r, b)
	if err != nil {
		return broken(where, c.offset+int64(n), err)
	}
	return nil
}

// broken distinguishes a truncated file from one that cannot be read.
func broken(where string, at int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return invalid(where, "the file ends at byte %d, within it", at)
	}
	return fmt.Errorf("read the bundle at byte %d: %w", at, err)
}

// end reads the directory, which must be the last thing in the file.
func (c *container) end() error {
	const where = "the end of the file"
	want := directory(c.entries, c.offset)
	got := make([]byte, len(want))
	if err := c.fill(got, where); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return invalid(where, "its directory does not match the entries, or there are others")
	}
	switch _, err := c.r.ReadByte(); {
	case err == nil:
		return invalid(where, "something follows the directory")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return fmt.Errorf("read the end of the bundle: %w", err)
	}
}
