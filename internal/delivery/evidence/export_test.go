package evidence

import "bytes"

// Packed writes a container of any contents.
func Packed(names []string, data map[string][]byte) []byte {
	var out bytes.Buffer
	var entries []archiveFile
	for _, name := range names {
		e := entryOf(name, data[name])
		e.offset = int64(out.Len())
		entries = append(entries, e)
		_ = put(&out, e, data[name]) // a buffer takes everything
	}
	out.Write(directory(entries, int64(out.Len())))
	return out.Bytes()
}
