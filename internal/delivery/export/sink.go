package export

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// sink is the output of one export. It keeps the first error, after which nothing more is written or
// read, so callers check it once, in done.
type sink struct {
	w   *bufio.Writer
	err error
}

// sinkBuffer is how many bytes are buffered before they are written.
const sinkBuffer = 64 << 10

func newSink(w io.Writer) *sink { return &sink{w: bufio.NewWriterSize(w, sinkBuffer)} }

func (s *sink) text(parts ...string) {
	for _, p := range parts {
		if s.err == nil {
			_, s.err = s.w.WriteString(p)
		}
	}
}

func (s *sink) bytes(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// json writes v compactly. The encoder replaces invalid UTF-8 and escapes < > &, so the text is safe
// inside an HTML page as well.
func (s *sink) json(v any) {
	if s.err != nil {
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		s.err = err
		return
	}
	s.bytes(b)
}

// put writes a text and a value after it.
func (s *sink) put(before string, v any) {
	s.text(before)
	s.json(v)
}

var errNoFindings = errors.New("the document has no findings to read; an empty export would look like good news")

// each calls use with the findings of the results, one at a time, until the end or the first error of
// the source or the writer.
func (s *sink) each(d Document, results []posture.Result, use func(posture.Finding)) {
	drain(s, d.found(results...), use)
}

// drain calls use for everything that can be read.
func drain[T any](s *sink, all iter.Seq2[T, error], use func(T)) {
	if s.err != nil {
		return
	}
	for one, err := range all {
		if err != nil {
			s.err = err
			return
		}
		if use(one); s.err != nil {
			return
		}
	}
}

// eachPath is each for the attack paths.
func (s *sink) eachPath(d Document, use func(posture.AttackPath)) {
	drain(s, d.paths(), use)
}

// array writes a JSON array with before in front of each value: a line break, so that two exports can be compared line by line.
func array[T any](s *sink, before string, values iter.Seq2[T, error]) {
	n := 0
	s.text("[")
	drain(s, values, func(v T) {
		s.put(comma(n)+before, v)
		n++
	})
	s.text("]")
}

// comma returns the separator before the n-th value of a list, counted from 0.
func comma(n int) string {
	if n == 0 {
		return ""
	}
	return ","
}

// done flushes and returns the first error, wrapped with the format's name.
func (s *sink) done(format string) error {
	if s.err == nil {
		s.err = s.w.Flush()
	}
	if s.err != nil {
		return fmt.Errorf("write the %s export: %w", format, s.err)
	}
	return nil
}
