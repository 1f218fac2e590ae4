package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/store"
)

// OnceHeader lets a caller that heard no answer ask again.
type OnceHeader struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"Gives what the first call with this key made, for 24 hours."`
}

// once is a call with an idempotency key that makes one object. The zero value is one
// without a key.
type once struct{ store.Idempotency }

// onceOf binds a key to the route and what was sent; body holds no secret, which all
// look the same in it, so those are named apart.
func onceOf(ctx context.Context, h OnceHeader, body any, secrets ...secret.Text) (once, error) {
	if h.IdempotencyKey == "" {
		return once{}, nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return once{}, fmt.Errorf("encode the request: %w", err)
	}
	sum := sha256.New()
	_, _ = sum.Write(raw)
	for _, t := range secrets {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(t.Reveal()), t.Reveal())
	}
	return once{store.Idempotency{Key: h.IdempotencyKey, Route: http.MethodPost + " " + callOf(ctx).route(),
		BodyHash: hex.EncodeToString(sum.Sum(nil))}}, nil
}

// keyConflict answers a key that came with another request.
func keyConflict() error {
	return posture.Problemf(posture.CodeIdempotencyConflict,
		"This Idempotency-Key was used with another request in the last 24 hours; use a new key.")
}

// made gives the id of what an earlier call makes, or "".
func (s *Server) made(ctx context.Context, o once) (string, error) { return s.object(ctx, o, "") }

// newID gives the id of what the call makes. Calls with the same key get the same, so
// that writing by id makes one object whoever comes first, also when a call was cut off.
func (s *Server) newID(ctx context.Context, o once) (string, error) {
	return s.object(ctx, o, s.o.NewID())
}

func (s *Server) object(ctx context.Context, o once, id string) (string, error) {
	if o.Key == "" {
		return id, nil
	}
	id, err := s.o.Store.ObjectOf(ctx, o.Idempotency, id, s.now())
	if errors.Is(err, store.ErrIdempotencyConflict) {
		return "", keyConflict()
	}
	if err != nil {
		return "", fmt.Errorf("look for what the key made: %w", err)
	}
	return id, nil
}
