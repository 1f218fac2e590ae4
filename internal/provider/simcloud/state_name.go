package simcloud

import (
	"net/http"
)

// canaryRegistrant stands for the contact data of a registration.
const canaryRegistrant = "leakcanary-registrant"

// nameAccount is the account state of registrations, zone transfers and external names.
type nameAccount struct {
	world         map[string]outsideName // external names registered by plants
	registrations []obj
	peers         []obj
	acls          []obj
}

// nameZone is the zone transfer state of a zone.
type nameZone struct {
	transferTo []string // ids of peers; nil if the zone is not transferred
}

// makeName registers the first zone's name and, on enterprise accounts, adds a peer for zone
// transfers to a second provider.
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
		"domain_name": domain, "status": statusActive, "locked": true, "auto_renew": true, "privacy_mode": "redaction",
		"expires_at": cl.ahead(200 * day),
		"contacts":   obj{"registrant": obj{"first_name": canaryRegistrant, "email": canaryRegistrant + "@corp." + a.zoneName(0)}},
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

// nameCanaries returns values no client may store.
func nameCanaries() []string { return []string{canaryRegistrant} }

// outside returns what plants registered for an external name.
func (a *account) outside(name string) (outsideName, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o, known := a.world[name]
	return o, known
}

// nameRoutes returns the operations of registrations, zone transfers and related settings.
func nameRoutes() []Route {
	const a, settings = "/accounts/{account_id}", permAccountSettings
	const registrar = "Account: Registrar: Domains Read"
	return []Route{
		list(a+"/registrar/registrations", registrar, "account/registrations", paging{kind: pageCursor, def: 20, max: 50},
			func(c *call) answer { return listOf(c, c.acct.registrations) }),
		again(a+"/registrar/registrations/{domain_name}", registrar, readRegistration),
		change(http.MethodPatch, a+"/registrar/registrations/{domain_name}", registrar, writeRegistration),
		read(a+"/secondary_dns/peers", settings, "account/secondary_dns_peers", func(c *call) answer { return listOf(c, c.acct.peers) }),
		again(a+"/secondary_dns/peers/{peer_id}", settings, readPeer),
		change(http.MethodPut, a+"/secondary_dns/peers/{peer_id}", settings, writePeer),
		read(a+"/secondary_dns/acls", settings, "account/secondary_dns_acls", func(c *call) answer { return listOf(c, c.acct.acls) }),
		read("/zones/{zone_id}/secondary_dns/outgoing", permDNS, "zone/secondary_outgoing", readOutgoing),
	}
}

func noRegistration() answer { return notFound("registration") }

func readRegistration(c *call) answer {
	if i := byKey(c.acct.registrations, "domain_name", c.id("domain_name")); i >= 0 {
		return ok(c.acct.registrations[i])
	}
	return noRegistration()
}

// writeRegistration accepts the renewal switch only and returns the progress of the change, which
// here is always complete, see
// https://developers.cloudflare.com/api/resources/registrar/subresources/registrations/methods/edit/.
func writeRegistration(c *call) answer {
	i := byKey(c.acct.registrations, "domain_name", c.id("domain_name"))
	if i < 0 {
		return noRegistration()
	}
	sent, valid := c.sent()
	on, isSwitch := sent["auto_renew"].(bool)
	if !valid || !isSwitch || len(sent) > 1 {
		return invalid("auto_renew is required, and nothing else can be changed here")
	}
	c.acct.registrations[i]["auto_renew"] = on
	self := "/accounts/" + c.acct.id + "/registrar/registrations/" + c.id("domain_name")
	return ok(obj{
		"completed": true, "state": "succeeded", "created_at": stamp(c.now), "updated_at": stamp(c.now),
		"links": obj{"self": self + "/update-status", "resource": self}, "context": obj{"registration": c.acct.registrations[i]},
	})
}

func noPeer() answer { return notFound("peer") }

func readPeer(c *call) answer { return c.one(c.acct.peers, "peer_id", noPeer()) }

// writePeer replaces a peer, see
// https://developers.cloudflare.com/api/resources/dns/subresources/zone_transfers/subresources/peers/methods/update/.
func writePeer(c *call) answer {
	i := byKey(c.acct.peers, "id", c.id("peer_id"))
	if i < 0 {
		return noPeer()
	}
	sent, valid := c.sent()
	if !valid || asText(sent["name"]) == "" {
		return invalid("name is required")
	}
	c.acct.peers[i] = merged(obj{"id": c.acct.peers[i]["id"]}, sent, "id")
	return ok(c.acct.peers[i])
}

// readOutgoing returns not found for a zone that is not transferred.
func readOutgoing(c *call) answer {
	if c.zone.transferTo == nil {
		return notFound("outgoing zone transfer")
	}
	return ok(obj{"id": c.zone.id, "name": c.zone.name, "peers": c.zone.transferTo, "soa_serial": 2037190000,
		"created_time": c.zone.created, "last_transferred_time": c.zone.created})
}
