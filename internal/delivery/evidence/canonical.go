package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// canonical returns the canonical JSON form of a value (RFC 8785).
func canonical(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write a part of the evidence: %w", err)
	}
	out := jsontext.Value(raw)
	if err := out.Canonicalize(); err != nil {
		return nil, fmt.Errorf("bring a part of the evidence to its canonical form: %w", err)
	}
	return out, nil
}

// isCanonical reports whether data is JSON in its canonical form. JSON with duplicate members or
// invalid UTF-8 has none.
func isCanonical(data []byte) bool {
	out := jsontext.Value(bytes.Clone(data))
	return out.Canonicalize() == nil && bytes.Equal(out, data)
}
