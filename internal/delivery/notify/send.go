package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Doer sends one request: it limits time and size, reads the body, and does not follow redirects. An
// error that is a *posture.Problem with the code outbound_denied or invalid_request is final and its
// text may be shown; any other error is a transport failure, and its text is never shown, because it
// may contain the address.
type Doer = outbound.Doer

// State is the result of one attempt.
type State string

// A delivery with the state Retry may have arrived: the receiver recognizes a repeat by its id.
const (
	Sent   State = "sent"
	Retry  State = "retry"
	Failed State = "failed"
)

// SendOutcome is the result of one attempt. Status is 0 when there was no answer. Reason is one
// sentence for people, without anything from the receiver and without the address. Wait is how long the
// receiver wants to wait before the next attempt; 0 means that it did not say.
type SendOutcome struct {
	State  State
	Status int
	Reason string
	Wait   time.Duration
}

// Send makes one attempt to deliver a body made by Build. It never waits and never retries: 429, 408,
// 5xx and transport failures give Retry, and the caller limits how often.
func (c Channel) Send(ctx context.Context, doer Doer, t Address, body []byte, d Delivery) SendOutcome {
	if err := c.Check(t); err != nil {
		return SendOutcome{State: Failed, Reason: posture.AsProblem(err).Detail}
	}
	if !d.valid() {
		return SendOutcome{State: Failed, Reason: c.Title + " cannot be sent to because the delivery has no usable id; send the summary anew."}
	}
	header, err := c.sign(t, d, body)
	if err != nil {
		return SendOutcome{State: Failed, Reason: fmt.Sprintf("%s cannot be signed for; set %s anew.", c.Title, c.SecretKey)}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL.Reveal(), bytes.NewReader(body))
	if err != nil { // the error contains the address
		return SendOutcome{State: Failed, Reason: fmt.Sprintf("%s cannot be sent to because its address is not an http or https URL; set %s.",
			c.Title, c.URLKey)}
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header = header
	resp, err := doer.Do(req)
	if err == nil && resp == nil {
		err = errors.New("no answer and no error")
	}
	if err != nil {
		return c.trouble(ctx, t, err)
	}
	return c.answered(resp, d.At)
}

// trouble is the outcome of an attempt without an answer.
func (c Channel) trouble(ctx context.Context, t Address, err error) SendOutcome {
	var p *posture.Problem
	if errors.As(err, &p) && (p.Code == posture.CodeOutboundDenied || p.Code == posture.CodeInvalid) {
		if tells(p.Detail, t) {
			return SendOutcome{State: Failed, Reason: fmt.Sprintf("%s may not be sent to at this address; set %s to another one.", c.Title,
				c.URLKey)}
		}
		return SendOutcome{State: Failed, Reason: cut(visible(p.Detail), 300)}
	}
	return SendOutcome{State: Retry, Reason: fmt.Sprintf("%s was not reached because %s; check the receiver and %s if this stays.", c.Title,
		cause(ctx, err), c.URLKey)}
}

// tells reports whether a sentence reveals a part of the target: its address, the path that makes a
// chat's address secret, or the signing secret.
func tells(sentence string, t Address) bool {
	address := t.URL.Reveal()
	if strings.Contains(sentence, address) || !t.Secret.IsZero() && strings.Contains(sentence, t.Secret.Reveal()) {
		return true
	}
	_, rest, _ := strings.Cut(address, "://")
	_, path, _ := strings.Cut(rest, "/")
	parts := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/?&=#", r) })
	return slices.ContainsFunc(parts, func(part string) bool {
		return len(part) >= 8 && strings.Contains(sentence, part)
	})
}

// cause names a kind of failure in our own words.
func cause(ctx context.Context, err error) string {
	var dns *net.DNSError
	var network net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return "the attempt was stopped"
	case errors.As(err, &dns) && !dns.IsTimeout:
		return "its host name could not be resolved"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "it did not answer in time"
	case errors.As(err, &certificate):
		return "its certificate is not trusted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refused the connection"
	case errors.Is(err, syscall.ECONNRESET):
		return "it broke the connection"
	}
	return "the connection failed"
}

// answered judges an answer by its status, and by its body where a success of a chat is none: a page of something in between,
// or the words with which Teams passes on that it is throttled, with a status of 200
// (learn.microsoft.com, "Rate limiting for connectors").
func (c Channel) answered(resp *outbound.Response, at time.Time) SendOutcome {
	o := SendOutcome{State: Failed, Status: resp.Status}
	say := func(why, do string) SendOutcome {
		o.Reason = fmt.Sprintf("%s did not take the message: it answered %d, %s; %s.", c.Title, resp.Status, why, do)
		return o
	}
	switch status := resp.Status; {
	case status >= 200 && status < 300 && c.SecretKey == "" && bytes.HasPrefix(bytes.TrimSpace(resp.Body), []byte("<")):
		o.State = Retry
		return say("with a page", "check that nothing in between, such as a login, answers instead")
	case status >= 200 && status < 300 && c.SecretKey == "" && bytes.Contains(resp.Body, []byte("endpoint returned HTTP error")):
		o.State = Retry
		return say("and that it was not delivered", "send fewer or wait if this stays")
	case status >= 200 && status < 300:
		return SendOutcome{State: Sent, Status: status}
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		o.State = Retry
		o.Wait, _ = outbound.RetryAfter(resp.Header.Get("Retry-After"), at)
		if status == http.StatusTooManyRequests {
			return say("too many messages", "send fewer or wait if this stays")
		}
		return say("which may pass", "look at the receiver if this stays")
	case status >= 300 && status < 400:
		return say("a redirect, which is not followed", "set "+c.URLKey+" to the final address")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return say("so the address or the secret is not accepted", "make a new one at the receiver and set "+c.URLKey)
	case status == http.StatusNotFound, status == http.StatusGone:
		return say("so the address does not exist any more", "make a new one at the receiver and set "+c.URLKey)
	}
	return say("so the message is not what it expects", "check that "+c.URLKey+" names a receiver of this kind")
}
