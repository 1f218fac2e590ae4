// Package demo is the built-in demo account: a record of what a simulated account answered, on which changes can be tried.
package demo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/provider/record"
)

// The account, the token that it is read with, and the one that may write there.
const (
	AccountID  = "b12a1af144213406ab33b57a239e042c"
	ReadToken  = "edgeposture-demo-read"
	WriteToken = "edgeposture-demo-write"
)

// recorded is written by go test ./internal/engine/assess -run TestDemoIsCommitted -update.
//
//go:embed demo.jsonl.gz
var recorded []byte

// Open gives the account as if it had been recorded now.
func Open(clock func() time.Time) (*record.Player, error) {
	in, err := gzip.NewReader(bytes.NewReader(recorded))
	if err != nil {
		return nil, fmt.Errorf("unpack the demo account: %w", err)
	}
	player, err := record.NewPlayer(in, clock())
	if err != nil {
		return nil, fmt.Errorf("read the demo account: %w", err)
	}
	player.Writable(WriteToken, clock)
	return player, nil
}
