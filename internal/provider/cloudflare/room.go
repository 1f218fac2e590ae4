package cloudflare

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"golang.org/x/sync/semaphore"
)

// Sizes in bytes. What is made of an answer takes about four times as much as the answer, so
// all that is read at once stays below 256 MiB, whatever the provider sends.
const (
	maxBody   = 16 << 20 // of one answer
	roomBytes = 64 << 20 // of all answers
	roomStep  = 64 << 10
)

// Room bounds the bytes of answers in memory, for all clients that share it.
type Room struct{ free *semaphore.Weighted }

// NewRoom makes the room of a process.
func NewRoom() *Room { return &Room{semaphore.NewWeighted(roomBytes)} }

// errCrowded tells that an answer was given up because there is no room for more of it.
var errCrowded = errors.New("there is no room for the answer")

// holding is what one read holds of the room until what it needs of the answer is made.
type holding struct {
	room  *Room
	bytes int64
}

type holdingKey struct{}

// hold keeps what an answer takes until release is called.
func (r *Room) hold(ctx context.Context) (_ context.Context, release func()) {
	h := &holding{room: r}
	return context.WithValue(ctx, holdingKey{}, h), h.release
}

// holdingOf gives that of a read, or a new one.
func (r *Room) holdingOf(ctx context.Context) (h *holding, release func()) {
	if h, ok := ctx.Value(holdingKey{}).(*holding); ok {
		return h, func() {}
	}
	h = &holding{room: r}
	return h, h.release
}

func (h *holding) release() {
	h.room.free.Release(h.bytes)
	h.bytes = 0
}

// whole waits for room for the largest answer. Nothing is held meanwhile, so that those who
// wait keep nobody from going on.
func (h *holding) whole(ctx context.Context) error {
	h.release()
	if err := h.room.free.Acquire(ctx, maxBody+roomStep); err != nil {
		return err
	}
	h.bytes = maxBody + roomStep
	return nil
}

// read gives the body of an answer, at most a step more of it than an answer may have.
func (h *holding) read(resp *http.Response) ([]byte, error) {
	var body bytes.Buffer
	for next := max(min(resp.ContentLength, maxBody)+bytes.MinRead, roomStep); ; next = roomStep {
		if missing := int64(body.Len()) + next - h.bytes; missing > 0 {
			if !h.room.free.TryAcquire(missing) {
				return nil, errCrowded
			}
			h.bytes += missing
		}
		body.Grow(int(next))
		switch _, err := io.CopyN(&body, resp.Body, next); {
		case errors.Is(err, io.EOF):
			return body.Bytes(), nil
		case err != nil || body.Len() > maxBody:
			return body.Bytes(), err
		}
	}
}
