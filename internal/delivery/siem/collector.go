package siem

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Limits of one request to a collector.
const (
	hecEvents = 1000
	hecBytes  = 800 << 10
)

// hecPath is where events are posted.
const hecPath = "/services/collector/event"

// Collector is an HTTP event collector. Channel is a GUID that stays the same for an installation;
// tokens with acknowledgement require one.
type Collector struct {
	URL     string
	Token   secret.Text
	Channel string
	Gzip    bool
}

// CollectorSender sends events to a collector. It is safe for concurrent use.
type CollectorSender struct{ sender sender }

// NewCollectorSender prepares a sender; an invalid target is a problem that may be shown.
func NewCollectorSender(doer Doer, c Collector, p Pace) (*CollectorSender, error) {
	p, err := p.filled()
	if err != nil {
		return nil, err
	}
	to, err := endpoint("hecUrl", c.URL, hecPath, "/services/collector")
	if err != nil {
		return nil, err
	}
	if c.Token.IsZero() {
		return nil, posture.Invalid("hecToken", "Splunk HEC needs a token; create one in its settings and give it here.", nil)
	}
	if err := header("hecToken", c.Token); err != nil {
		return nil, err
	}
	if _, err := uuid.Parse(c.Channel); err != nil || len(c.Channel) != 36 {
		return nil, posture.Invalid("hecChannel", "The channel of Splunk HEC is not a GUID of 36 characters.", nil)
	}
	return &CollectorSender{sender{doer: doer, receiver: &hec{to: to, collector: c, pace: p}, pace: p}}, nil
}

// Send sends events and returns the outcome of each. The error comes from the source only; the
// receiver's answers are in the report.
func (s *CollectorSender) Send(ctx context.Context, events iter.Seq2[Event, error]) (Report, error) {
	return s.sender.send(ctx, func(yield func(batchItem, error) bool) {
		for e, err := range events {
			if !yield(batchItem{id: e.ID, body: e.Body}, err) {
				return
			}
		}
	})
}

// hec is the protocol of the collector (Splunk, "HTTP Event Collector").
type hec struct {
	to        *url.URL
	collector Collector
	pace      Pace
}

func (h *hec) name() string              { return "Splunk HEC" }
func (h *hec) limit() (items, bytes int) { return hecEvents, hecBytes }
func (h *hec) size(p batchItem) int      { return len(p.body) + 1 }
func (h *hec) clean(text string) string  { return scrub(text, h.collector.Token) }

func (h *hec) request(ctx context.Context, batch []batchItem) (*http.Request, error) {
	r, err := post(ctx, h.to, "application/json", joined(batch, "\n"), h.collector.Gzip)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Splunk "+h.collector.Token.Reveal())
	r.Header.Set("X-Splunk-Request-Channel", h.collector.Channel)
	return r, nil
}

// hecAnswer is the answer of a collector. Code is nil when the body is not such an answer.
type hecAnswer struct {
	Code    *int `json:"code"`
	Invalid *int `json:"invalid-event-number"`
}

// readAnswer decodes an answer; any other body gives an empty value.
func readAnswer(body []byte) hecAnswer {
	var a hecAnswer
	if json.Unmarshal(body, &a) != nil {
		return hecAnswer{}
	}
	return a
}

func (h *hec) judge(batch []batchItem, answer *outbound.Response) judgement {
	n, status, a := len(batch), answer.Status, readAnswer(answer.Body)
	code := -1
	if a.Code != nil {
		code = *a.Code
	}
	wait := retryAfter(answer.Header, h.pace.Now())
	switch {
	case status == http.StatusOK && (code == 0 || code == 24 || code == 25):
		return all(n, verdict{fate: fateSent})
	case status == http.StatusOK:
		return all(n, verdict{fate: fateLater, reason: "Splunk HEC answered without saying that it took the event.", wait: wait})
	case status == http.StatusRequestEntityTooLarge:
		return all(n, verdict{fate: fateTight, reason: "Splunk HEC takes no request as large as this one event."})
	case passing(status):
		return all(n, verdict{fate: fateLater, reason: fmt.Sprintf("Splunk HEC answered %d%s.", status, codeText(code)), wait: wait})
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return refused(n, fmt.Sprintf("Splunk HEC refused the token (HTTP %d%s); check the token and that it is enabled.", status,
			codeText(code)))
	case status == http.StatusBadRequest && ofEvent(code):
		return h.judgeEvent(n, code, a.Invalid)
	default:
		return refused(n, fmt.Sprintf("Splunk HEC answered %d%s; check its address and the settings of the token.", status,
			codeText(code)))
	}
}

// judgeEvent handles an answer that blames one event. The others are sent again without it; when the
// answer does not say which one, the batch is split.
func (h *hec) judgeEvent(n, code int, invalid *int) judgement {
	bad := verdict{fate: fateFailed, reason: fmt.Sprintf("Splunk HEC refused the event (HTTP 400%s).", codeText(code))}
	switch {
	case n == 1:
		return all(n, bad)
	case invalid == nil || *invalid < 0 || *invalid >= n:
		return all(n, verdict{fate: fateApart, blamed: true, reason: bad.reason})
	}
	j := all(n, verdict{fate: fateAgain})
	j.verdicts[*invalid] = bad
	return j
}

// ofEvent reports whether a code blames an event rather than the whole request.
func ofEvent(code int) bool { return code == 6 || code == 12 || code == 13 || code == 15 }

// codeText returns the meaning of a collector's code in our words (Splunk, "Possible error codes"),
// preceded by a comma, or "".
func codeText(code int) string {
	texts := map[int]string{
		1: "the token is disabled", 2: "no token arrived", 3: "the token has the wrong form", 4: "the token is not known", 5: "nothing arrived",
		6: "it is not in the form of an event",
		7: "the token may not write to the index", 8: "an error of its own", 9: "it is busy", 10: "the channel is missing",
		11: "the channel is not valid", 12: "the event is missing", 13: "the event is empty",
		14: "acknowledgement is off", 15: "the indexed fields are nested", 16: "tokens in the address are off", 23: "it is shutting down",
		26: "its queue is full", 27: "its queue of acknowledgements is full",
	}
	text, known := texts[code]
	switch {
	case known:
		return fmt.Sprintf(", code %d: %s", code, text)
	case code >= 0:
		return fmt.Sprintf(", code %d", code)
	default:
		return ""
	}
}
