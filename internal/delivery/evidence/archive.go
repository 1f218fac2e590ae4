package evidence

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// The container is a ZIP file in which every byte is determined by the names and contents: nothing is
// compressed, no time, comment or extra field is set, and the entries follow each other without gaps.
// So any tool can open it, and a reader can compare each byte with its only allowed value.
const (
	localLen   = 30
	centralLen = 46
	endLen     = 22
	// maxArchive is the limit of 32-bit sizes.
	maxArchive = math.MaxUint32
	maxEntries = math.MaxUint16
	dosEpoch   = 0x0021 // 1 January 1980, the first day that a ZIP file can represent
	zipVersion = 10
)

// archiveFile is one file in a container.
type archiveFile struct {
	name   string
	size   int64
	crc    uint32
	offset int64
}

// fields appends the fields common to local and central headers.
func (e archiveFile) fields(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint16(b, zipVersion)
	b = le.AppendUint16(b, 0) // flags
	b = le.AppendUint16(b, 0) // stored
	b = le.AppendUint16(b, 0) // time
	b = le.AppendUint16(b, dosEpoch)
	b = le.AppendUint32(b, e.crc)
	b = le.AppendUint32(b, uint32(e.size))
	b = le.AppendUint32(b, uint32(e.size))
	b = le.AppendUint16(b, uint16(len(e.name)))
	return le.AppendUint16(b, 0) // extra
}

func (e archiveFile) local() []byte {
	return append(e.fields([]byte("PK\x03\x04")), e.name...)
}

func (e archiveFile) central() []byte {
	le := binary.LittleEndian
	b := e.fields(le.AppendUint16([]byte("PK\x01\x02"), zipVersion))
	b = append(b, make([]byte, 10)...) // comment, disk, attributes
	b = le.AppendUint32(b, uint32(e.offset))
	return append(b, e.name...)
}

// directory returns everything after the last entry, which ends at offset.
func directory(entries []archiveFile, offset int64) []byte {
	var b []byte
	for _, e := range entries {
		b = append(b, e.central()...)
	}
	size := len(b)
	le := binary.LittleEndian
	b = append(b, "PK\x05\x06\x00\x00\x00\x00"...)
	b = le.AppendUint16(b, uint16(len(entries)))
	b = le.AppendUint16(b, uint16(len(entries)))
	b = le.AppendUint32(b, uint32(size))
	b = le.AppendUint32(b, uint32(offset))
	return le.AppendUint16(b, 0)
}

var errTooLarge = errors.New("the bundle would be larger than 4 GiB, which its container cannot hold")

// lay assigns offsets to consecutive entries and returns the size of the whole container.
func lay(entries []archiveFile) (int64, error) {
	var offset, names int64
	for i := range entries {
		entries[i].offset = offset
		offset += localLen + int64(len(entries[i].name)) + entries[i].size
		names += centralLen + int64(len(entries[i].name))
	}
	if total := offset + names + endLen; total <= maxArchive && len(entries) <= maxEntries {
		return total, nil
	}
	return 0, errTooLarge
}

// begin writes the local header of an entry.
func begin(w io.Writer, e archiveFile) error {
	if _, err := w.Write(e.local()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// put writes one entry with its data.
func put(w io.Writer, e archiveFile, data []byte) error {
	if err := begin(w, e); err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

func entryOf(name string, data []byte) archiveFile {
	return archiveFile{name: name, size: int64(len(data)), crc: crc32.ChecksumIEEE(data)}
}
