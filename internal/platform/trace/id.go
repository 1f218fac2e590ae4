package trace

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	api "go.opentelemetry.io/otel/trace"
)

// rootKey is the context key of the trace id for a span without a parent.
type rootKey struct{}

// ids generates ids from one seed.
type ids struct {
	mu   sync.Mutex
	rand *rand.ChaCha8
}

func newIDs(random io.Reader) (*ids, error) {
	var seed [32]byte
	if _, err := io.ReadFull(random, seed[:]); err != nil {
		return nil, fmt.Errorf("read randomness: %w", err)
	}
	return &ids{rand: rand.NewChaCha8(seed)}, nil
}

// NewIDs implements sdk.IDGenerator for a span without a parent.
func (g *ids) NewIDs(ctx context.Context) (api.TraceID, api.SpanID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	id, given := ctx.Value(rootKey{}).(api.TraceID)
	for !given && !id.IsValid() {
		binary.BigEndian.PutUint64(id[:8], g.rand.Uint64())
		binary.BigEndian.PutUint64(id[8:], g.rand.Uint64())
	}
	return id, g.span()
}

// NewSpanID implements sdk.IDGenerator.
func (g *ids) NewSpanID(context.Context, api.TraceID) api.SpanID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.span()
}

// span must be called with the lock held.
func (g *ids) span() (id api.SpanID) {
	for !id.IsValid() {
		binary.BigEndian.PutUint64(id[:], g.rand.Uint64())
	}
	return id
}
