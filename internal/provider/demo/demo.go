// Package demo is the built-in demo account: a recording of a simulated account, on which changes
// can be tried.
package demo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/provider/record"
)

// The account, the token that reads it, and the token that may write to it.
const (
	AccountID  = "b12a1af144213406ab33b57a239e042c"
	ReadToken  = "edgeposture-demo-read"
	WriteToken = "edgeposture-demo-write"
)

// recorded is written by go test ./internal/engine/assess -run TestDemoIsCommitted -update.
//
//go:embed demo.jsonl.gz
var recorded []byte

// Open returns the account as if it had been recorded at the last midnight UTC: two starts on one day
// serve the same dates, so that comparing their assessments shows no change that nobody made.
func Open(clock func() time.Time) (*record.Player, error) {
	in, err := gzip.NewReader(bytes.NewReader(recorded))
	if err != nil {
		return nil, fmt.Errorf("unpack the demo account: %w", err)
	}
	player, err := record.NewPlayer(in, clock().UTC().Truncate(24*time.Hour))
	if err != nil {
		return nil, fmt.Errorf("read the demo account: %w", err)
	}
	player.Writable(WriteToken, clock)
	return player, nil
}
