package ticket

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// within bounds one request. It is shorter than every tracker's Settles, so that a late request is not
// mistaken for a new one.
const within = 30 * time.Second

// caller sends requests to a tracker.
type caller struct {
	doer  outbound.Doer
	now   func() time.Time
	title string // the tracker's name
	base  string
	head  func(http.Header)
	// judge interprets what is special about a tracker's answers; nil leaves it to statusOf.
	judge func(*outbound.Response) *Error
}

// call sends a request once and decodes the answer.
func (c caller) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write a request to %s: %w", c.title, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.base, "/")+path, bytes.NewReader(raw))
	if err != nil { // the error contains the address
		return refusedf("%s cannot be asked because its address is not an http or https URL; set it in the settings.", c.title)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	c.head(req.Header)
	resp, err := c.doer.Do(req)
	if err != nil {
		return c.trouble(err)
	}
	var e *Error
	if c.judge != nil {
		e = c.judge(resp)
	}
	if e == nil && (resp.Status < 200 || resp.Status > 299) {
		e = c.statusOf(resp)
	}
	if e != nil {
		e.Status = cmp.Or(e.Status, resp.Status)
		return e
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(resp.Body, into); err != nil || resp.Truncated || bytes.Equal(bytes.TrimSpace(resp.Body), []byte("null")) {
		return strange(c.title, "its address")
	}
	return nil
}

// strange is the error for an answer that is not from the tracker's API.
func strange(title, address string) *Error {
	return &Error{Again: true, Code: posture.CodeDelivery,
		Reason: title + " gave an answer that is not one of its API; check that " + address + " is the right one."}
}

// trouble is the error for a request without an answer.
func (c caller) trouble(err error) error {
	if p, ok := errors.AsType[*posture.Problem](err); ok {
		return &Error{Sure: true, Reason: p.Detail, Code: p.Code}
	}
	reason := "the connection failed; check its address if this stays"
	if failed, ok := errors.AsType[*outbound.FailedError](err); ok {
		reason = failed.Reason
	}
	return &Error{Again: true, Reason: fmt.Sprintf("%s gave no answer: %s.", c.title, reason), Code: posture.CodeDelivery}
}

// statusOf is the meaning of a status at any tracker.
func (c caller) statusOf(resp *outbound.Response) *Error {
	say := func(why, do string) *Error {
		return refusedf("%s refused: it answered %d, %s; %s.", c.title, resp.Status, why, do)
	}
	switch status := resp.Status; {
	case status == http.StatusTooManyRequests:
		e := say("too many requests", "wait, or send fewer")
		e.Again, e.Limit = true, true
		e.Wait, _ = outbound.RetryAfter(resp.Header.Get("Retry-After"), c.now())
		return e
	case status >= 500, status == http.StatusRequestTimeout:
		e := say("which may pass", "look at its status page if this stays")
		e.Sure, e.Again = false, true
		e.Wait, _ = outbound.RetryAfter(resp.Header.Get("Retry-After"), c.now())
		return e
	case status == http.StatusUnauthorized:
		return say("so the token is not accepted or has ended", "save a new one in the settings")
	case status == http.StatusForbidden:
		return say("so the token may not do this", "give it the permissions that docs/tickets.md lists")
	case status == http.StatusNotFound:
		return say("so what was asked for is not there or the token may not see it", "check the settings and the permissions of the token")
	case status == http.StatusGone:
		e := say("so the ticket was deleted, or there are no tickets here", "make or link another one")
		e.Gone = true
		return e
	case status >= 300 && status < 400:
		return say("a redirect, which is not followed: it was moved or renamed", "save its address as it is now, or link the ticket anew")
	}
	return say("so it does not take what was sent", "check the settings of the tracker")
}
