package posture_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestMisfit(t *testing.T) {
	type Inner struct {
		Days  *int `json:"days"`
		Share float64
	}
	type outer struct {
		Inner
		Rules []Inner        `json:"rules"`
		Names []string       `json:"names"`
		On    bool           `json:"on"`
		Map   map[string]int `json:"map"`
	}
	for body, want := range map[string]string{
		`5`:                       "expected an object",
		`{"days":1e2}`:            "days: expected a whole number of at most 18 digits",
		`{"rules":[{"days":""}]}`: "rules.days: expected a whole number of at most 18 digits",
		`{"rules":{}}`:            "rules: expected a list",
		`{"names":[5]}`:           "names: expected a text",
		`{"on":"yes"}`:            "on: expected true or false",
		`{"map":[]}`:              "map: expected an object",
		`{`:                       "unexpected end of JSON input",
	} {
		require.EqualError(t, posture.Misfit(json.Unmarshal([]byte(body), &outer{})), want, body)
	}
}
