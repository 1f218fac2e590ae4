// Package planner asks a language model for the best order of the changes in a remediation plan,
// and for a remark where one helps. It only orders and annotates the plan's own items: it adds,
// drops and changes none, and no item comes before one that it depends on. It sends the catalogue's
// own words about the checks, and pseudonyms for their resources; the answer is treated as
// untrusted text. Without an answer the plan stays as it was.
package planner

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// Limits of one question and its answer.
const (
	// DefaultTimeout bounds the question, from the look-up to the end of the answer.
	DefaultTimeout = 20 * time.Second
	// MaxAnswer is the longest answer that is read, in bytes.
	MaxAnswer = 256 << 10
	// MaxItems is how many items are sent to a hosted model, MaxItemsLocal to a local one, which has
	// a smaller context and is slower. The remaining items follow in their order.
	MaxItems      = 200
	MaxItemsLocal = 50
	// MaxNote is the longest note, in characters.
	MaxNote = 280
)

// Item is one change of a plan. It has no text of its own: its words are looked up in the catalogue
// by CheckID, so that they cannot contain account data.
type Item struct {
	// ID identifies the item and must be unique in a plan. It is not sent.
	ID string
	// CheckID is a check of the catalogue. An item of an unknown check is sent without words.
	CheckID string
	// Severity, Risk (low, medium or high) and Reversible are sent; unknown words are not.
	Severity   posture.Severity
	Risk       string
	Reversible bool
	// RemovesPaths is how many attack paths the change removes.
	RemovesPaths int
	// Ref is the pseudonym of the changed resource, from Redact.
	Ref Ref
	// After lists the ids of items that must come before this one. Unknown ids are ignored.
	After []string
}

// Advice is an order of the same items. Order is always a legal permutation of the ids: each comes
// after those that it depends on. If Used is false, it is the original order, and Note says why in
// one sentence of our own; otherwise Note is empty or says what was left out. Notes holds at most
// MaxNote characters of plain text by item id, without control characters, markup or addresses.
// Provider is the value of the setting.
type Advice struct {
	Order    []string
	Notes    map[string]string
	Used     bool
	Provider string
	Note     string
}

// Options configures a Planner.
type Options struct {
	// Provider is none, hosted_a, hosted_b or local; "" is none.
	Provider string
	// Model overrides the provider's default (SERVICE_AI_MODEL, aiModel).
	Model string
	// Key is the credential of a hosted provider; local has none.
	Key secret.Text
	// Host is the address of the local model server, which may have a path; "" is
	// setting.DefaultLocalModelHost. For hosted providers it replaces the vendor's address, which
	// only tests do.
	Host string
	// Doer sends; nil when Provider is none. NewClient returns one with the limit that answers need.
	Doer outbound.Doer
	// Timeout bounds one question; 0 is DefaultTimeout.
	Timeout time.Duration
}

// Planner asks one provider. It keeps nothing between questions and is safe for concurrent use.
type Planner struct {
	o        Options
	protocol protocol
	words    map[string]words
	close    func()
}

// New returns a planner. It never fails: problems with the options are in the note of each advice.
func New(o Options) *Planner {
	if o.Provider == "" {
		o.Provider = none
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	p := &Planner{o: o, protocol: protocolOf(o.Provider), words: catalogue(), close: func() {}}
	if p.protocol != nil {
		if p.o.Model == "" {
			p.o.Model = p.protocol.model()
		}
		if p.o.Host == "" {
			p.o.Host = p.protocol.host()
		}
	}
	return p
}

// Close closes the connections of a planner from FromSettings. The Doer of Options belongs to the
// caller and stays open.
func (p *Planner) Close() { p.close() }

// Advise asks for an order of the items, once. It never fails: whatever goes wrong, the advice
// holds the items in their original order.
func (p *Planner) Advise(ctx context.Context, items []Item) Advice {
	pl, why := arrange(items, p.limit())
	kept := Advice{Provider: p.o.Provider, Notes: map[string]string{}, Order: pl.ids(pl.given)}
	if why == "" {
		why = p.unready(items)
	}
	if why != "" {
		kept.Note = why
		return kept
	}
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	content, why := p.ask(ctx, pl)
	if why == "" {
		var a Advice
		if a, why = pl.take(content); why == "" {
			a.Provider = p.o.Provider
			return a
		}
	}
	kept.Note = fmt.Sprintf("The order of the rules was kept because %s %s.", p.protocol.title(), why)
	return kept
}

// Preview returns the exact body that Advise would send for the items, without the credential,
// which is sent in a header. It is nil when nothing would be sent.
func (p *Planner) Preview(items []Item) []byte {
	pl, why := arrange(items, p.limit())
	if why != "" || p.unready(items) != "" {
		return nil
	}
	return p.body(pl)
}

func (p *Planner) limit() int {
	if p.o.Provider == local {
		return MaxItemsLocal
	}
	return MaxItems
}

// unready returns the sentence for a planner that has nothing to ask or no model to ask, or "".
func (p *Planner) unready(items []Item) string {
	switch {
	case len(items) == 0:
		return "The AI planner was not asked because the plan has no item to order."
	case p.o.Provider == none:
		return "The AI planner was not asked because none is chosen; set SERVICE_AI_PROVIDER or aiProvider to hosted_a, hosted_b or local."
	case p.protocol == nil:
		return "The AI planner was not asked because the provider is not known; set SERVICE_AI_PROVIDER or aiProvider to none, hosted_a, " +
			"hosted_b or local."
	case p.protocol.keys() != "" && p.o.Key.IsZero():
		return fmt.Sprintf("The AI planner was not asked because %s needs a key; set %s.", p.protocol.title(), p.protocol.keys())
	case p.o.Doer == nil:
		return fmt.Sprintf("The AI planner was not asked because the address of %s is not usable; set LOCAL_MODEL_HOST or localModelHost to "+
			"one such as %s.", p.protocol.title(), setting.DefaultLocalModelHost)
	}
	return ""
}

func (p *Planner) body(pl plan) []byte {
	return p.protocol.body(p.o.Model, pl.question(p.words))
}

// ask sends one request and returns what the model wrote, or the completion of "… because
// <provider> ". It passes on nothing that the provider wrote.
func (p *Planner) ask(ctx context.Context, pl plan) (content []byte, why string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(p.o.Host, "/")+p.protocol.path(),
		bytes.NewReader(p.body(pl)))
	if err != nil { // the error contains the address
		return nil, "has an address that is no URL; set LOCAL_MODEL_HOST or localModelHost"
	}
	p.protocol.sign(req.Header, p.o.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := p.o.Doer.Do(req)
	switch {
	case err != nil:
		return nil, trouble(ctx, err)
	case resp == nil:
		return nil, "gave no answer; try again"
	case resp.Status != http.StatusOK:
		return nil, p.refused(resp.Status)
	case resp.Truncated || len(resp.Body) > MaxAnswer:
		return nil, fmt.Sprintf("gave an answer of more than %d KiB; choose another model with SERVICE_AI_MODEL or aiModel", MaxAnswer>>10)
	}
	return p.protocol.content(resp.Body)
}
