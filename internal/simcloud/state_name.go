package simcloud

import (
	"encoding/json"
	"net/http"
)

// canaryRegistrant stands for the contact data of a registration.
const canaryRegistrant = "leakcanary-registrant"

// nameAccount is what an account holds of names besides the records.
type nameAccount struct {
	world         map[string]outsideName // names outside that plants registered
	registrations []obj
	peers         []obj
	acls          []obj
}

// nameZone is what a zone holds of them.
type nameZone struct {
	transferTo []string // ids of peers; nil means that the zone is not transferred
}

// makeName registers the first zone's name and transfers it to a second
// provider, as enterprise accounts may.
func (a *account) makeName() {
	if a.spec.Plain || a.zoneCount == 0 {
		return
	}
	a.registrations = []obj{a.registration(a.zoneName(0))}
	if a.bestPlan() == "enterprise" {
		a.peers = []obj{a.transferPeer("second", "t1")}
		a.acls = []obj{a.transferACL("second", "185.220.26.0/28")}
	}
}

func (a *account) registration(domain string) obj {
	cl := a.cloud
	return obj{
		"domain_name": domain, "status": statusActive, "locked": true, "auto_renew": true, "privacy_mode": "redaction", "expires_at": cl.ahead(200 * day),
		"registered_at": cl.ago(800 * day), "name_servers": []string{"amy.ns.cloudflare.com", "bob.ns.cloudflare.com"},
		"contacts": obj{"registrant": obj{"first_name": canaryRegistrant, "email": canaryRegistrant + "@corp." + a.zoneName(0)}},
	}
}

func (a *account) transferPeer(name, tsig string) obj {
	p := obj{"id": a.next("peer").hex32(), "name": name, "ip": "185.220.26.5", "port": 53, "ixfr_enable": false, "tsig_id": tsig}
	if tsig == "" {
		delete(p, "tsig_id")
	}
	return p
}

func (a *account) transferACL(name, network string) obj {
	return obj{"id": a.next("acl").hex32(), "name": name, "ip_range": network}
}

// makeName transfers enterprise zones to the peers of the account.
func (z *zone) makeName() {
	if z.plan == "enterprise" && len(z.acct.peers) > 0 {
		z.transferTo = []string{asText(z.acct.peers[0]["id"])}
	}
}

// nameCanaries are values no client may keep.
func nameCanaries() []string { return []string{canaryRegistrant} }

// outside tells what plants said about a name of the world.
func (a *account) outside(name string) (outsideName, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o, known := a.world[name]
	return o, known
}

// nameRoutes are the operations of names besides the records.
func nameRoutes() []Route {
	const a, settings = "/accounts/{account_id}", "Account: Account DNS Settings Read"
	const registrar = "Account: Registrar: Domains Read"
	return []Route{
		list(a+"/registrar/registrations", registrar, "account/registrations", paging{kind: pageCursor, def: 20, max: 50}, func(c *call) answer { return listOf(c, c.acct.registrations) }),
		change(http.MethodPatch, a+"/registrar/registrations/{domain_name}", registrar, writeRegistration),
		read(a+"/secondary_dns/peers", settings, "account/secondary_dns_peers", func(c *call) answer { return listOf(c, c.acct.peers) }),
		read(a+"/secondary_dns/acls", settings, "account/secondary_dns_acls", func(c *call) answer { return listOf(c, c.acct.acls) }),
		read("/zones/{zone_id}/secondary_dns/outgoing", permDNS, "zone/secondary_outgoing", readOutgoing),
	}
}

func writeRegistration(c *call) answer {
	var body struct {
		AutoRenew *bool `json:"auto_renew"`
		Locked    *bool `json:"locked"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	i := byKey(c.acct.registrations, "domain_name", c.id("domain_name"))
	if i < 0 {
		return notFound("registration")
	}
	if body.AutoRenew != nil {
		c.acct.registrations[i]["auto_renew"] = *body.AutoRenew
	}
	if body.Locked != nil {
		c.acct.registrations[i]["locked"] = *body.Locked
	}
	return ok(c.acct.registrations[i])
}

// readOutgoing answers not found for a zone that is transferred to nobody.
func readOutgoing(c *call) answer {
	if c.zone.transferTo == nil {
		return notFound("outgoing zone transfer")
	}
	return ok(obj{"id": c.zone.id, "name": c.zone.name, "peers": c.zone.transferTo, "soa_serial": 2037190000,
		"created_time": c.zone.created, "last_transferred_time": c.zone.created})
}
