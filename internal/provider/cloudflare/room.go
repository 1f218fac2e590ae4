package cloudflare

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"golang.org/x/sync/semaphore"
)

// Sizes in bytes. Processing an answer takes about four times its size, so everything that is read
// concurrently stays below 256 MiB, whatever the provider sends.
const (
	maxBody   = 16 << 20 // of one answer
	roomBytes = 64 << 20 // of all answers
	roomStep  = 64 << 10
)

// Room bounds the bytes of answers in memory, for all clients that share it.
type Room struct{ free *semaphore.Weighted }

// NewRoom returns the room of a process.
func NewRoom() *Room { return &Room{semaphore.NewWeighted(roomBytes)} }

// errCrowded means that an answer was abandoned because there is no room for the rest of it.
var errCrowded = errors.New("there is no room for the answer")

// holding is the room that one read occupies until its answer has been processed.
type holding struct {
	room  *Room
	bytes int64
}

type holdingKey struct{}

// hold keeps the room of an answer occupied until release is called.
func (r *Room) hold(ctx context.Context) (_ context.Context, release func()) {
	h := &holding{room: r}
	return context.WithValue(ctx, holdingKey{}, h), h.release
}

// holdingOf returns the holding of a read, or a new one.
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

// whole waits for room for the largest answer. It first releases what it holds, so that waiting
// reads do not block others.
func (h *holding) whole(ctx context.Context) error {
	h.release()
	if err := h.room.free.Acquire(ctx, maxBody+roomStep); err != nil {
		return err
	}
	h.bytes = maxBody + roomStep
	return nil
}

// read returns the body of an answer, at most roomStep more of it than an answer may have.
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
