package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// canonical gives the one JSON form a value has (RFC 8785).
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

// isCanonical reports whether data is JSON in its one form. Members that come twice
// and text that is no UTF-8 have none.
func isCanonical(data []byte) bool {
	out := jsontext.Value(bytes.Clone(data))
	return out.Canonicalize() == nil && bytes.Equal(out, data)
}
