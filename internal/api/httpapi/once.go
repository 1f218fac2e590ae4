package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/store"
)

// OnceHeader lets a caller that received no response safely repeat the call.
type OnceHeader struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"Gives what the first call with this key made, for 24 hours."`
}

// key returns what the caller sent.
func (h OnceHeader) key() string { return h.IdempotencyKey }

// twins lets calls that come at once with the same key wait for each other. Two APIs do not wait: their store decides by the
// name of what is made, or binds the key in the transaction that makes it, as for a comment.
type twins [64]sync.Mutex

func (t *twins) of(key string) *sync.Mutex {
	sum := sha256.Sum256([]byte(key))
	return &t[int(sum[0])%len(t)]
}

// replaying answers a repeated call with the sealed first answer, secrets that are shown once
// included. Calls that make one thing by its id use newID instead, which also holds for twins at several APIs.
func replaying[I interface{ key() string }, O any](h func(*Server, context.Context, *I) (*O, error)) func(*Server, context.Context, *I) (*O,
	error) {
	return func(s *Server, ctx context.Context, in *I) (*O, error) {
		n := callOf(ctx)
		if (*in).key() == "" {
			return h(s, ctx, in)
		}
		twins := s.twins.of((*in).key())
		twins.Lock()
		defer twins.Unlock()
		o := n.once((*in).key(), n.bodyHash)
		sealed, err := s.made(ctx, o)
		if err != nil {
			return nil, err
		}
		out := new(O)
		if sealed != "" && s.opened("answer", sealed, out) {
			return out, nil
		}
		if out, err = h(s, ctx, in); err != nil {
			made := new(O)
			if sealed, _ := s.made(ctx, o); sealed != "" && s.opened("answer", sealed, made) {
				return made, nil // a twin at another API made it first
			}
			return nil, err
		}
		if sealed, err = s.sealed("answer", out); err == nil {
			_, err = s.object(ctx, o, sealed)
		}
		if err != nil {
			s.o.Log.WarnContext(ctx, "an answer could not be kept for a repeated call", "requestId", n.entry.RequestID, "error", err)
		}
		return out, nil
	}
}

// once binds a key to the route and the content of the request; the store binds it to the caller.
func (n *called) once(key, bodyHash string) once {
	return once{store.Idempotency{Key: key, Route: http.MethodPost + " " + n.route(), BodyHash: bodyHash}}
}

// once is a call that creates one object, with its idempotency key. The zero value is a call without a key.
type once struct{ store.Idempotency }

// onceOf binds a key to the route and the content of the request. Secrets are passed separately,
// because they all look the same in the JSON of the body.
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
	return callOf(ctx).once(h.IdempotencyKey, hex.EncodeToString(sum.Sum(nil))), nil
}

// keyConflict is the problem of a key that was used with another request.
func keyConflict() error {
	return posture.Problemf(posture.CodeIdempotencyConflict,
		"This Idempotency-Key was used with another request in the last 24 hours; use a new key.")
}

// made returns the id of the object that an earlier call with the same key creates, or "".
func (s *Server) made(ctx context.Context, o once) (string, error) { return s.object(ctx, o, "") }

// madeBefore returns the object that an earlier call with the same key created, or nil when there is none: that call did
// not finish, or the object has been deleted since.
func madeBefore[T any](ctx context.Context, s *Server, o once, get func(context.Context, string) (T, error)) (*T, error) {
	id, err := s.made(ctx, o)
	if id == "" || err != nil {
		return nil, err
	}
	row, err := get(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &row, err
}

// newID returns the id of the object that the call creates. Calls with the same key get the same
// id, so writing by id creates one object whichever call comes first, even when one was
// interrupted.
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
	return id, err
}
