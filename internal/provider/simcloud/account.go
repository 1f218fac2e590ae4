package simcloud

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
)

// account is the state of one generated account. mu guards everything that a request can change,
// including the zones.
type account struct {
	cloud     *Cloud
	index     int
	spec      AccountSpec
	seed      uint64
	id, name  string
	created   string
	zoneCount int
	plans     []string

	mu            sync.Mutex
	zones         []*zone
	sites         []string // names of the first zone with an application
	enforceTwoFA  bool
	dnsOnly       bool // return the addresses of origins
	userGroups    []obj
	grouped       map[string][]obj // members by user group
	members       []obj
	people        map[string]obj // members who left, by address
	connectors    []obj
	tokens        []obj
	rulesets      []*ruleset
	lists         []obj
	items         map[string][]obj
	ipRules       []obj
	org           obj
	apps          []obj
	policies      []obj
	groups        []obj
	idps          []obj
	serviceTokens []obj
	tunnels       []obj
	configs       map[string]obj
	hosts         []tunnelHost
	workers       []*worker
	r2Enabled     bool
	buckets       []*bucket
	namespaces    []obj
	databases     []obj
	queues        []obj
	alerts        []obj
	webhooks      []obj
	jobs          []obj
	workerRoutes  map[int][]obj
	ztnaAccount
	deliveryAccount
	platformAccount
	nameAccount
	mailAccount

	assigned map[int][]Plant
	taken    map[string]bool
	planted  []Planted
	serial   int
}

// tunnelHost is the public record of a hostname that a tunnel serves.
type tunnelHost struct {
	zone     int
	hostname string
	tunnelID string
}

func newAccount(cl *Cloud, index int, spec AccountSpec) *account {
	a := &account{
		cloud: cl, index: index, spec: spec, seed: mix(cl.opts.Seed, "account", num(index)),
		zoneCount: count(spec.Zones, 3), plans: spec.Plans, enforceTwoFA: true, grouped: map[string][]obj{},
		items: map[string][]obj{}, configs: map[string]obj{}, workerRoutes: map[int][]obj{},
		assigned: map[int][]Plant{}, taken: map[string]bool{},
		ztnaAccount: ztnaAccount{clients: map[string][]obj{}},
	}
	if len(a.plans) == 0 {
		a.plans = []string{"free", "pro", "business", "enterprise"}
	}
	a.id, a.name = spec.ID, spec.Name
	if a.id == "" {
		a.id = hexID(a.seed, "account")
	}
	if a.name == "" {
		a.name = accountName(a.seed)
	}
	a.created = cl.ago(900 * day)
	a.foregoAccess()
	a.zones = make([]*zone, a.zoneCount)
	a.makePeople()
	a.makeAccountRules()
	a.makeAccess()
	a.makeTunnels()
	a.makeWorkers()
	a.makeStorage()
	a.makeAlerts()
	a.makeAccountJobs()
	a.makeZtna()
	a.makeFirewall()
	a.makeDelivery()
	a.makePlatform()
	a.makeName()
	a.makeMail()
	return a
}

func accountName(seed uint64) string {
	s := newStream(seed, "name")
	first, second := nameWords()
	w := first[s.below(len(first))]
	return strings.ToUpper(w[:1]) + w[1:] + " " + second[s.below(len(second))] + " Ltd"
}

// nameWords returns the two halves of generated names.
func nameWords() (first, second []string) {
	return []string{"acorn", "bright", "cedar", "delta", "ember", "fjord", "granite", "harbor", "indigo", "juniper", "kestrel", "lumen",
			"maple", "north", "orchid", "pine"}, []string{"shop", "labs", "media", "freight", "health", "books", "energy", "travel", "foods",
			"games", "works", "cloud", "bank", "studio", "parts", "press"}
}

// zonePlan returns the plan of the zone at an index without building it.
func (a *account) zonePlan(i int) string { return a.plans[i%len(a.plans)] }

func (a *account) zoneID(i int) string { return hexID(a.seed, "zone", num(i)) }

// pending reports whether a zone was never activated.
func (a *account) pending(i int) bool { return i >= a.zoneCount-a.spec.Pending }

func (a *account) zoneName(i int) string {
	if i < len(a.spec.ZoneNames) {
		return a.spec.ZoneNames[i]
	}
	s := newStream(a.seed, "zone-name", num(i))
	first, second := nameWords()
	// The number keeps names unique without a registry of used ones.
	return first[s.below(len(first))] + "-" + second[s.below(len(second))] + num(i) + ".example"
}

// enterpriseZone returns the name of the first zone on the Enterprise plan, "" when there is none.
func (a *account) enterpriseZone() string {
	for i := range a.zoneCount {
		if a.zonePlan(i) == "enterprise" {
			return a.zoneName(i)
		}
	}
	return ""
}

// bestPlan returns the highest plan of any zone, which account checks compare.
func (a *account) bestPlan() string {
	best := "free"
	for i := range min(a.zoneCount, len(a.plans)) {
		if rank(a.zonePlan(i)) > rank(best) {
			best = a.zonePlan(i)
		}
	}
	return best
}

func rank(plan string) int {
	return slices.Index([]string{"free", "pro", "business", "enterprise"}, plan)
}

// next returns the random stream for one more object of a kind.
func (a *account) next(kind string) *stream {
	a.serial++
	return newStream(a.seed, kind, num(a.serial))
}

// truth builds every zone and returns all findings planted in the account.
func (a *account) truth() []Planted {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := slices.Clone(a.planted)
	for i := range a.zoneCount {
		found = append(found, a.zone(i).planted...)
	}
	wide := slices.ContainsFunc(a.gatewayRules, func(r obj) bool {
		return r["action"] == "allow" && r["traffic"] == "" && slices.Contains(r["filters"].([]string), "l4")
	})
	// An application that guards too wide a range guards TCP to what lies in it.
	held := slices.ContainsFunc(found, func(f Planted) bool { return f.CheckID == "CFL-ZT-036" && f.Result == failed })
	for i, f := range found {
		first := !wide && a.gwPosture["device_posture"] == "" && len(a.routes) > 1 // only the first route is open to everyone
		if f.CheckID == "CFL-GW-005" && f.Result == failed && (held || first) {
			found[i].Result = warning
		}
	}
	return found
}

func (a *account) object() obj {
	kind := "standard"
	if a.bestPlan() == "enterprise" {
		kind = "enterprise"
	}
	return obj{
		"id": a.id, "name": a.name, "type": kind, "created_on": a.created,
		"settings": obj{"enforce_twofactor": a.enforceTwoFA, "abuse_contact_email": nil},
	}
}

func readAccount(c *call) answer { return ok(c.acct.object()) }

// writeAccount accepts the object as read; only the name and enforce_twofactor can change.
func writeAccount(c *call) answer {
	var body struct {
		Name     string `json:"name"`
		Settings struct {
			Enforce *bool `json:"enforce_twofactor"`
		} `json:"settings"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	if body.Name == "" {
		return invalid("name is required")
	}
	c.acct.name = body.Name
	if body.Settings.Enforce != nil {
		c.acct.enforceTwoFA = *body.Settings.Enforce
	}
	return ok(c.acct.object())
}

func listAccounts(c *call) answer {
	name := c.query.Get("name")
	var raw []json.RawMessage
	for _, a := range c.cloud.accounts {
		if !c.token.mayUse(a.id) {
			continue
		}
		a.mu.Lock()
		if name == "" || name == a.name {
			raw = append(raw, mustJSON(a.object()))
		}
		a.mu.Unlock()
	}
	return listOf(c, raw)
}

// mustJSON encodes while the owner's lock is held, for responses that combine several accounts.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("simcloud: object cannot be encoded: " + err.Error())
	}
	return raw
}

// byKey returns the index of the object whose member key has the value, or -1.
func byKey(list []obj, key, value string) int {
	return slices.IndexFunc(list, func(o obj) bool { return o[key] == value })
}

func stampedPair(cl *Cloud, created, modified time.Duration) (string, string) {
	return cl.ago(created), cl.ago(modified)
}
