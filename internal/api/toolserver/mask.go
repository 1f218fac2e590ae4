package toolserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// shortest is the minimum length of a token to mask, in bytes. Anything shorter is not a secret, and
// masking it would destroy words of the answer.
const shortest = 6

// mask returns JSON in which no text holds a token, neither literally nor JSON-escaped.
func mask(raw json.RawMessage, tokens []string) (json.RawMessage, error) {
	var pairs []string
	for _, token := range tokens {
		if len(token) < shortest {
			continue
		}
		written, err := encode(token)
		if err != nil {
			return nil, err
		}
		dots := secret.New(token).String()
		pairs = append(pairs, token, dots, string(written[1:len(written)-1]), dots)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return encode(replaced(v, strings.NewReplacer(pairs...)))
}

func replaced(v any, r *strings.Replacer) any {
	switch t := v.(type) {
	case string:
		return r.Replace(t)
	case []any:
		for i := range t {
			t[i] = replaced(t[i], r)
		}
	case map[string]any:
		out := make(map[string]any, len(t))
		for name, value := range t {
			out[r.Replace(name)] = replaced(value, r)
		}
		return out
	}
	return v
}

// masked returns an error without the tokens of the call.
func masked(err error, tokens []string) error {
	var p *posture.Problem
	if !errors.As(err, &p) {
		p = &posture.Problem{Code: posture.CodeInternal, Detail: err.Error()}
	}
	raw, err := encode(p)
	if err != nil {
		return posture.AsProblem(err)
	}
	if raw, err = mask(raw, tokens); err != nil {
		return posture.AsProblem(err)
	}
	clean := &posture.Problem{}
	if err := json.Unmarshal(raw, clean); err != nil {
		return posture.AsProblem(err)
	}
	return clean
}
