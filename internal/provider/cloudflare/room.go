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

	// An element of a list becomes a whole Go value and a member may become an entry of a map, even if they are two bytes long, so
	// each counts for more than its bytes.
	elementBytes, memberBytes = 256, 16
)

// weight returns the bytes that an answer counts for.
func weight(body []byte) int {
	n := len(body)
	lists := []bool{false} // whether each open value is a list; the last one is the innermost
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			lists = append(lists, body[i] == '[')
			n += memberBytes
		case ']', '}':
			lists = lists[:max(len(lists)-1, 1)]
		case ',':
			n += memberBytes
			if lists[len(lists)-1] {
				n += elementBytes
			}
		}
	}
	return n
}

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

// grow occupies room for a body that counts for more than its length.
func (h *holding) grow(bytes int) error {
	missing := int64(bytes) - h.bytes
	if missing <= 0 {
		return nil
	}
	if !h.room.free.TryAcquire(missing) {
		return errCrowded
	}
	h.bytes += missing
	return nil
}

// read returns the body of an answer, at most roomStep more of it than an answer may have, and occupies room for what it counts for.
func (h *holding) read(resp *http.Response) ([]byte, error) {
	var body bytes.Buffer
	for next := max(min(resp.ContentLength, maxBody)+bytes.MinRead, roomStep); ; next = roomStep {
		if err := h.grow(body.Len() + int(next)); err != nil {
			return nil, err
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
