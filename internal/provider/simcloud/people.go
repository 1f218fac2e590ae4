package simcloud

import "encoding/json"

const permDNSSettings = "Account: Account DNS Settings Read"

// makePeople generates members, single sign-on and account-owned tokens, see
// https://developers.cloudflare.com/api/resources/accounts/subresources/members/.
func (a *account) makePeople() {
	// A correct account has two super administrators, however small it is.
	for i := range max(2, count(a.spec.Members, 3)) {
		a.members = append(a.members, a.newMember("member"+num(i+1), "accepted", true))
	}
	for _, m := range a.members[:2] {
		m["roles"] = a.roles(roleSuper)
	}
	if !a.spec.Plain {
		a.userGroup("Operators", "DNS", a.members[0])
	}
	// The connector is enabled for a domain that no member uses.
	a.connectors = []obj{a.newConnector("corp."+a.zoneName(0), true, "verified")}
	for i, name := range []string{"Terraform", "Certificate automation"} {
		a.tokens = append(a.tokens, a.newToken(name, a.cloud.ahead(day*120)))
		a.tokens[i]["last_used_on"] = a.cloud.ago(day * 2)
	}
}

func (a *account) newMember(local, status string, secondFactor bool) obj {
	s := a.next("member")
	email := local + "@" + a.zoneName(0)
	roles := []string{"Administrator Read Only", "DNS", "Firewall", "Analytics"}
	return obj{
		"id": s.hex32(), "email": email, "status": status,
		"user": obj{
			"id": s.hex32(), "email": email, "first_name": canaryFirstName, "last_name": canaryLastName,
			"two_factor_authentication_enabled": secondFactor,
		},
		"roles":    a.roles(roles[s.below(len(roles))]),
		"policies": []obj{},
	}
}

const (
	roleAdmin = "Administrator"
	roleSuper = "Super Administrator - All Privileges"
)

// roles returns the role list of a member with one role.
func (a *account) roles(name string) []obj {
	return []obj{{"id": hexID(a.seed, "role", name), "name": name, "description": "Role of the account",
		"permissions": obj{"dns_records": obj{"read": true, "write": false}}}}
}

func (a *account) newConnector(domain string, enabled bool, status string) obj {
	s := a.next("connector")
	return obj{
		"id": s.uuid(), "email_domain": domain, "enabled": enabled, "created_on": a.cloud.ago(90 * day),
		"updated_on": a.cloud.ago(30 * day), "verification": obj{"code": canarySSOCode, "status": status},
	}
}

// newToken returns an entry of the account token list; an empty end means no expiry.
func (a *account) newToken(name, end string) obj {
	s := a.next("token")
	t := obj{
		"id": s.hex32(), "name": name, "status": statusActive, "issued_on": a.cloud.ago(60 * day),
		"modified_on": a.cloud.ago(60 * day), "last_used_on": nil,
		"condition": obj{"request_ip": obj{"in": []string{"185.220.20.0/28"}}},
		"policies": []obj{{
			"id": s.hex32(), "effect": "allow", "resources": obj{"com.cloudflare.api.account." + a.id: "*"},
			"permission_groups": []obj{{"id": s.hex32(), "name": "Logs Write"}},
		}},
	}
	if end != "" {
		t["expires_on"] = end
	}
	return t
}

func listMembers(c *call) answer { return listOf(c, c.acct.members) }

func listConnectors(c *call) answer { return listOf(c, c.acct.connectors) }

// dnsSettings returns the settings for all zones, see
// https://developers.cloudflare.com/api/resources/dns/subresources/settings/subresources/account/.
func (a *account) dnsSettings() obj {
	return obj{"zone_defaults": obj{"multi_provider": false, "zone_mode": "standard"}, "enforce_dns_only": a.dnsOnly}
}

func readDNSSettings(c *call) answer { return ok(c.acct.dnsSettings()) }

func patchDNSSettings(c *call) answer {
	var body struct {
		DNSOnly *bool `json:"enforce_dns_only"`
	}
	if json.Unmarshal(c.body, &body) != nil || body.DNSOnly == nil {
		return badBody()
	}
	c.acct.dnsOnly = *body.DNSOnly
	return ok(c.acct.dnsSettings())
}

// userGroup adds a group with one role, see https://developers.cloudflare.com/api/resources/iam/subresources/user_groups/.
func (a *account) userGroup(name, role string, members ...obj) {
	g := obj{"id": a.next("user-group").hex32(), "name": name, "created_on": a.cloud.ago(90 * day), "modified_on": a.cloud.ago(90 * day),
		"policies": []obj{{"id": a.next("group-policy").hex32(), "access": "allow",
			"permission_groups": []obj{{"id": hexID(a.seed, "role", role), "name": role}},
			"resource_groups": []obj{{"id": a.next("group-scope").hex32(), "scope": obj{"key": "com.cloudflare.api.account." + a.id,
				"objects": []obj{{"key": "*"}}}}}}}}
	a.userGroups = append(a.userGroups, g)
	for _, m := range members {
		a.grouped[asText(g["id"])] = append(a.grouped[asText(g["id"])], obj{"id": m["id"], "email": m["email"], "status": m["status"]})
	}
}

func listUserGroups(c *call) answer { return listOf(c, c.acct.userGroups) }

func listGroupMembers(c *call) answer { return listOf(c, c.acct.grouped[c.id("user_group_id")]) }
