package simcloud

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// zone is the state of one zone. The account's lock guards it.
type zone struct {
	acct      *account
	index     int
	id, name  string
	plan      string
	status    string
	paused    bool
	kind      string // "full" if empty
	created   string
	settings  map[string]any
	changed   map[string]string
	records   []record
	fillers   int // generated fillers at the end of records that plants may replace
	dnssec    obj
	bots      obj
	packs     []obj
	origin    []obj
	ipRules   []obj
	jobs      []obj
	pageRules []obj
	rulesets  []*ruleset
	taken     map[string]bool
	planted   []Planted
	serial    int
	firewallZone
	deliveryZone
	nameZone
	tlsZone
	mailZone
}

// zone returns the zone at an index and builds it on first use. The caller
// holds the account's lock.
func (a *account) zone(i int) *zone {
	if a.zones[i] == nil {
		a.zones[i] = a.buildZone(i)
	}
	return a.zones[i]
}

func (a *account) buildZone(i int) *zone {
	z := &zone{
		acct: a, index: i, id: a.zoneID(i), name: a.zoneName(i), plan: a.zonePlan(i), status: "active",
		created: a.cloud.ago(day * 800), settings: map[string]any{}, changed: map[string]string{}, taken: map[string]bool{},
	}
	z.makeRecords()
	z.makeDNSSEC()
	z.makeBots()
	z.makeCertificates()
	z.makeRulesets()
	z.makeAccessRules()
	z.makeJobs()
	z.makeZtna()
	z.makeFirewall()
	z.makeDelivery()
	z.makeName()
	z.makeTLS()
	z.makeMail()
	if a.pending(i) {
		z.neglect()
	}
	if i == 0 {
		for _, host := range a.sites {
			z.plant("A", host, z.originIP(178), true)
		}
	}
	for _, p := range a.assigned[i] {
		z.planted = append(z.planted, p.Apply(&Scene{account: a, zone: z})...)
	}
	z.planted = append(z.consistent(z.planted), z.firewallTruth()...)
	z.planted = append(z.planted, z.tlsTruth()...)
	z.planted = append(z.planted, z.mailTruth()...)
	return z
}

// next returns the random stream for one more object of a kind.
func (z *zone) next(kind string) *stream {
	z.serial++
	return newStream(z.acct.seed, "zone", num(z.index), kind, num(z.serial))
}

// neglect marks a zone as never activated and gives it bad settings that no check may report,
// because checks of live traffic do not apply to it.
func (z *zone) neglect() {
	z.status, z.created = "pending", z.acct.cloud.ago(2*day)
	result := warning
	if z.index%2 == 1 { // abandoned, not just created
		z.created, result = z.acct.cloud.ago(90*day), failed
	}
	z.planted = append(z.planted, Planted{"CFL-ZONE-003", "zone", z.id, result})
	z.settings["ssl"] = "off"
	z.settings["min_tls_version"] = "1.0"
	z.settings["always_use_https"] = "off"
	z.settings["security_level"] = "essentially_off"
	z.dnssec["status"] = "disabled"
	z.rulesets = z.providerRulesets()
	z.neglectDelivery()
}

// planObject is the plan member of a zone.
func planObject(plan string) obj {
	names := map[string]string{"free": "Free Website", "pro": "Pro Website", "business": "Business Website",
		"enterprise": "Enterprise Website"}
	prices := map[string]int{"free": 0, "pro": 20, "business": 200, "enterprise": 0}
	return obj{
		"id": hexID(0, "plan", plan), "name": names[plan], "price": prices[plan], "currency": "USD", "frequency": "monthly",
		"is_subscribed": plan != "free", "can_subscribe": plan != "enterprise", "legacy_id": plan, "legacy_discount": false,
		"externally_managed": plan == "enterprise",
	}
}

func (z *zone) object() obj {
	owner := obj{"id": nil, "type": "user", "email": nil}
	return obj{
		"id": z.id, "name": z.name, "status": z.status, "paused": z.paused, "type": cmp.Or(z.kind, "full"), "development_mode": z.devMode,
		"name_servers":          []string{"amy.ns.cloudflare.com", "bob.ns.cloudflare.com"},
		"original_name_servers": []string{"ns1.registrar.test", "ns2.registrar.test"},
		"original_registrar":    nil, "original_dnshost": nil, "modified_on": z.created, "created_on": z.created,
		"activated_on": z.created, "vanity_name_servers": []string{}, "verification_key": canaryVerification,
		"meta": obj{
			"step": 2, "custom_certificate_quota": 0, "page_rule_quota": 3 + 17*rank(z.plan), "phishing_detected": false,
		},
		"owner": owner, "account": obj{"id": z.acct.id, "name": z.acct.name},
		"tenant": obj{"id": nil, "name": nil}, "tenant_unit": obj{"id": nil},
		"permissions": []string{"#zone:read", "#dns_records:read"}, "plan": planObject(z.plan),
	}
}

// listZones returns a page of the zones of all accounts the token may use. Only the zones on the
// page are built.
func listZones(c *call) answer {
	wantAccount, wantName, wantStatus := c.query.Get("account.id"), c.query.Get("name"), c.query.Get("status")
	var refs []zoneRef
	for _, a := range c.cloud.accounts {
		if !c.token.mayUse(a.id) || (wantAccount != "" && wantAccount != a.id) {
			continue
		}
		for i := range a.zoneCount {
			status := "active"
			if a.pending(i) {
				status = "pending"
			}
			if (wantName == "" || wantName == a.zoneName(i)) && (wantStatus == "" || wantStatus == status) {
				refs = append(refs, zoneRef{a, i})
			}
		}
	}
	got := listOf(c, refs)
	page, _ := got.result.([]zoneRef) // nil for a refused page
	raw := make([]json.RawMessage, 0, len(page))
	for _, ref := range page {
		ref.acct.mu.Lock()
		raw = append(raw, mustJSON(ref.acct.zone(ref.index).object()))
		ref.acct.mu.Unlock()
	}
	got.result = raw
	return got
}

func readZone(c *call) answer { return ok(c.zone.object()) }

func writeZone(c *call) answer {
	var body struct {
		Paused *bool `json:"paused"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	if body.Paused == nil {
		return refuse(http.StatusBadRequest, 1016, "Only paused can be changed here")
	}
	c.zone.paused = *body.Paused
	return ok(c.zone.object())
}
