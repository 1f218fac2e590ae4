package simcloud

import "time"

// Options describe one simulated provider. The zero value serves one clean
// account of three zones with one read-only user token.
type Options struct {
	// Seed selects all generated names, ids and random choices.
	Seed uint64
	// Accounts are the accounts to generate; empty means one clean account.
	Accounts []AccountSpec
	// Tokens are the accepted tokens; empty means one read-only user token whose secret is derived
	// from Seed (see [Cloud.Tokens]).
	Tokens []Token
	// Now is the clock of limits, expiries and modification dates; nil means
	// time.Now. Generated dates are relative to its value at [New].
	Now func() time.Time
	// Limit is the request limit per user or account token.
	Limit Limit
	// Faults are injected from the first request on; see [Cloud.SetFaults].
	Faults Faults
	// Latency is added to every response, plus a random part of at most Jitter.
	Latency, Jitter time.Duration
	// OnRequest is called before a request is handled, outside any lock. It may block or panic; tests
	// use it to stop everything at the nth request.
	OnRequest func(method, path string)
	// OnAnswer is called after a request was carried out and before its response is sent, outside any
	// lock. It may block or panic; tests use it to stop a client that does not know yet that its
	// change was made.
	OnAnswer func(method, path string)
	// NoBulkSettings refuses GET /zones/{zone_id}/settings with 404, so that a
	// client has to read the settings one by one.
	NoBulkSettings bool
	// Hostile puts markup, spreadsheet formulas, markdown and control
	// characters into free-text names and comments.
	Hostile bool
}

// TokenKind is the kind of owner of a token.
type TokenKind string

// Kinds of tokens; the two have different verification endpoints, see
// https://developers.cloudflare.com/fundamentals/api/get-started/account-owned-tokens/.
const (
	UserToken    TokenKind = "user"
	AccountToken TokenKind = "account"
)

// Token is one accepted credential.
type Token struct {
	// Secret is the bearer value.
	Secret string
	// Kind is UserToken when empty.
	Kind TokenKind
	// ID is derived from Seed and Secret when empty.
	ID string
	// User owns a user token; tokens of one user share one request budget.
	// Empty means "user-1". It is not used for account tokens.
	User string
	// Name is shown in token lists.
	Name string
	// Status is active (also when empty), disabled or expired.
	Status string
	// ExpiresOn is when the token expires; nil means 180 days after the clock at New.
	ExpiresOn *time.Time
	// NoExpiry leaves out the expiry.
	NoExpiry bool
	// Denied lists permissions the token does not have, written as in the
	// routes table, e.g. "Zone: DNS Read".
	Denied []string
	// Accounts are the ids of the accounts the token may use; empty means all for a user token and
	// the first account for an account token.
	Accounts []string
	// CanWrite grants every permission that ends in Write.
	CanWrite bool
}

// Limit is the request limit of
// https://developers.cloudflare.com/fundamentals/api/reference/limits/.
type Limit struct {
	// Requests per Window; zero means 1200.
	Requests int
	// Window is five minutes when zero.
	Window time.Duration
	// Block is how long a user is refused after exceeding; zero means Window.
	Block time.Duration
	// Sliding counts requests over the last Window instead of in fixed windows.
	Sliding bool
	// Disabled switches the limit off (the headers are still sent).
	Disabled bool
}

// AccountSpec describes one generated account. A count of zero means a small
// default, a negative count means none.
type AccountSpec struct {
	// ID and Name are derived from the seed when empty.
	ID, Name string
	// Zones defaults to 3, RecordsPerZone to 24 (the records every zone needs
	// are always there, so the smallest zone has about a dozen).
	Zones, RecordsPerZone int
	// ZoneNames are the names of the first zones; the others are derived.
	ZoneNames []string
	// Plans are cycled over the zones: free, pro, business, enterprise.
	Plans []string
	// Plant is the probability (0 to 1) of each possible planted finding.
	Plant float64
	// Plants are planted in addition, in order.
	Plants []PlantRule
	// Members, Workers, Tunnels, Apps and Buckets are counts of the clean part; a planted finding may
	// add one more. Negative Apps means Access is not in use, negative Buckets that R2 is not
	// enabled.
	Members, Workers, Tunnels, Apps, Buckets int
	// Namespaces of Workers KV, Databases of D1, Queues, and Lists of addresses.
	Namespaces, Databases, Queues, Lists int
	// ListItems is the number of items per address list.
	ListItems int
	// Pending is how many zones at the end of the list are not active; they carry bad settings that
	// no check may report.
	Pending int
	// Clean ignores Plant and Plants.
	Clean bool
	// Plain leaves out every optional product, unless the counts above request it.
	Plain bool
}

// PlantRule plants one finding.
type PlantRule struct {
	// CheckID and Variant name an entry of [Plants]; an empty Variant means the
	// first of the check.
	CheckID, Variant string
	// Zones are the indexes of the zones to use for zone findings. Nil means the first zone whose
	// plan fits and whose state is still clean.
	Zones []int
}

func (o Options) clock() time.Time {
	if o.Now == nil {
		return time.Now().UTC()
	}
	return o.Now().UTC()
}

func (l Limit) withDefaults() Limit {
	if l.Requests == 0 {
		l.Requests = 1200
	}
	if l.Window == 0 {
		l.Window = 5 * time.Minute
	}
	if l.Block == 0 {
		l.Block = l.Window
	}
	return l
}

// count resolves a count of AccountSpec.
func count(n, byDefault int) int {
	if n == 0 {
		return byDefault
	}
	return max(n, 0)
}
