package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// maxDepth bounds the nesting of JSON. Tokens and key sets need three levels.
const maxDepth = 16

// errAmbiguous is for JSON that two readers may interpret differently.
var errAmbiguous = errors.New("it is not one JSON object without repeated names")

// object parses one JSON object. It rejects repeated names at any depth, because readers differ in
// which one they use (RFC 7519, section 4). Names are compared after unescaping.
func object(b []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(b) || !json.Valid(b) {
		return nil, errAmbiguous
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := uniqueNames(dec, 0); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errAmbiguous
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(b, &out); err != nil || out == nil {
		return nil, errAmbiguous
	}
	return out, nil
}

// uniqueNames reads one value and rejects repeated names in it.
func uniqueNames(dec *json.Decoder, depth int) error {
	t, err := dec.Token()
	if err != nil || depth > maxDepth {
		return errAmbiguous
	}
	open, nested := t.(json.Delim)
	if !nested {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			t, err := dec.Token()
			name, _ := t.(string) // always a string in valid JSON
			if err != nil || seen[name] {
				return errAmbiguous
			}
			seen[name] = true
		}
		if err := uniqueNames(dec, depth+1); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return errAmbiguous
	}
	return nil
}

// text parses a JSON string. It rejects null, which encoding/json would accept.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
