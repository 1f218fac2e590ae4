package simcloud

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	playback "github.com/edgeposture/edgeposture/internal/provider/record"
)

// Cloud is one simulated provider. It is an [http.Handler] and safe for concurrent use.
type Cloud struct {
	opts   Options
	now    func() time.Time
	born   time.Time // clock at New, base of all generated dates
	limit  Limit
	tokens []*Token
	mux    *http.ServeMux

	accounts []*account
	byID     map[string]*account
	zones    map[string]zoneRef
	named    map[string]zoneRef // by name; the first if two zones share one

	mu         sync.Mutex // guards everything below
	budgets    map[string]*budget
	faults     Faults
	faultCalls map[string]int
	outage     bool
	denied     map[string]bool
	disabled   map[string]bool // accepted tokens, by id
	writes     []Write
	gate       chan struct{} // nil while requests pass
	gated      []string      // path fragments of the requests held back

	statMu sync.Mutex
	stats  counters
}

// zoneRef locates a zone without building it.
type zoneRef struct {
	acct  *account
	index int
}

// Planted is one finding that a correct assessment must report.
type Planted struct {
	CheckID, ResourceType, ResourceID string
	// Result is FAIL or WARNING.
	Result string
}

// New generates the accounts of opts. Zones are built on first use, so large accounts cost nothing
// up front.
func New(opts Options) *Cloud {
	cl := &Cloud{
		opts: opts, now: opts.clock, born: opts.clock().Truncate(time.Second), limit: opts.Limit.withDefaults(),
		byID: map[string]*account{}, zones: map[string]zoneRef{}, named: map[string]zoneRef{}, budgets: map[string]*budget{},
		faults: opts.Faults, faultCalls: map[string]int{}, denied: map[string]bool{}, disabled: map[string]bool{}, stats: newCounters(),
	}
	specs := opts.Accounts
	if len(specs) == 0 {
		specs = []AccountSpec{{Clean: true}}
	}
	for i, spec := range specs {
		a := newAccount(cl, i, spec)
		cl.accounts = append(cl.accounts, a)
		cl.byID[a.id] = a
		for z := range a.zoneCount {
			cl.zones[a.zoneID(z)] = zoneRef{a, z}
			if name := a.zoneName(z); cl.named[name].acct == nil {
				cl.named[name] = zoneRef{a, z}
			}
		}
	}
	cl.tokens = cl.acceptTokens()
	for _, a := range cl.accounts {
		a.plantAccount()
	}
	cl.mux = cl.newMux()
	return cl
}

// BasePath is the prefix of every path, as on the public API.
const BasePath = playback.BasePath

// Start serves the cloud on a loopback address until the server is closed.
func (cl *Cloud) Start(addr string) (*playback.Server, error) {
	return playback.Start(context.Background(), cl, addr)
}

// Accounts returns the ids of the accounts in the order of Options.
func (cl *Cloud) Accounts() []string {
	ids := make([]string, 0, len(cl.accounts))
	for _, a := range cl.accounts {
		ids = append(ids, a.id)
	}
	return ids
}

// ZoneIDs returns the ids of an account's zones in list order, nil for an
// unknown account.
func (cl *Cloud) ZoneIDs(accountID string) []string {
	a := cl.byID[accountID]
	if a == nil {
		return nil
	}
	ids := make([]string, 0, a.zoneCount)
	for i := range a.zoneCount {
		ids = append(ids, a.zoneID(i))
	}
	return ids
}

// Deny removes permissions from all tokens, written as in the routes table.
func (cl *Cloud) Deny(permissions ...string) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	for _, p := range permissions {
		cl.denied[p] = true
	}
}

// Allow restores permissions removed by Deny; without arguments it restores all.
func (cl *Cloud) Allow(permissions ...string) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if len(permissions) == 0 {
		clear(cl.denied)
	}
	for _, p := range permissions {
		delete(cl.denied, p)
	}
}

// Truth returns the findings of an account for a run with the first token of
// Options that may use the account, sorted; limited to the checks of
// [Covered]. It describes the account as generated: later writes do not
// change it.
func (cl *Cloud) Truth(accountID string) []Planted {
	for _, t := range cl.tokens {
		if t.mayUse(accountID) {
			return cl.TruthFor(accountID, t.Secret)
		}
	}
	return cl.TruthFor(accountID, "")
}

// TruthFor is Truth for a run with the token of the given secret.
func (cl *Cloud) TruthFor(accountID, secret string) []Planted {
	a := cl.byID[accountID]
	if a == nil {
		return nil
	}
	found := a.truth()
	if t := cl.tokenBySecret(secret); t != nil {
		found = append(found, cl.tokenTruth(a, t)...)
	}
	return settle(found)
}

// settle removes duplicates (FAIL wins over WARNING on one resource) and sorts.
func settle(found []Planted) []Planted {
	slices.SortFunc(found, func(x, y Planted) int {
		return strings.Compare(
			strings.Join([]string{x.CheckID, x.ResourceType, x.ResourceID, x.Result}, "\x00"),
			strings.Join([]string{y.CheckID, y.ResourceType, y.ResourceID, y.Result}, "\x00"))
	})
	return slices.CompactFunc(found, func(x, y Planted) bool {
		return x.CheckID == y.CheckID && x.ResourceType == y.ResourceType && x.ResourceID == y.ResourceID
	})
}

// PublishDS acts as the registrar: a zone whose DNSSEC is pending becomes active, as after the DS
// record appears in the parent zone.
func (cl *Cloud) PublishDS(zoneID string) {
	ref, known := cl.zones[zoneID]
	if !known {
		return
	}
	ref.acct.mu.Lock()
	defer ref.acct.mu.Unlock()
	if z := ref.acct.zone(ref.index); z.dnssec["status"] == "pending" {
		z.dnssec["status"] = "active"
		z.dnssec["modified_on"] = stamp(cl.now())
	}
}

// stamp formats a time the way most responses do.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// ago and ahead return dates relative to the clock at New.
func (cl *Cloud) ago(d time.Duration) string   { return stamp(cl.born.Add(-d)) }
func (cl *Cloud) ahead(d time.Duration) string { return stamp(cl.born.Add(d)) }

const day = 24 * time.Hour
