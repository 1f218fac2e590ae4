package simcloud

import "time"

const statusPending = "pending"

// inForce reports whether an SSO connector makes a second factor unnecessary.
func inForce(connector obj) bool {
	verification, _ := connector["verification"].(obj)
	return connector["enabled"] == true && verification["status"] == "verified"
}

func plantsAccount() []Plant {
	const slotRoles = "roles" // the roles of members
	hires := func(role string, byPolicy bool) func(*account) {
		return func(a *account) {
			// Twice the limit stays above it even when other plants add members.
			for i := range 2*a.adminLimit() + 2 {
				a.hire("lead"+num(i+1), role, byPolicy)
			}
		}
	}
	demoted := func(keep int) func(*account) {
		return func(a *account) {
			for _, m := range a.members[keep:2] {
				m["roles"] = a.roles("Administrator Read Only")
			}
		}
	}
	connector := func(variant, result string, enabled bool, status string) Plant {
		return accountWide("CFL-ACC-006", variant, result, "connector-"+variant, func(a *account) {
			a.connectors = append(a.connectors, a.newConnector(variant+"."+a.zoneName(0), enabled, status))
		})
	}
	return []Plant{
		accountWide("CFL-ACC-003", "administrators", failed, slotRoles, hires(roleAdmin, false)),
		accountWide("CFL-ACC-003", "by-policy", failed, slotRoles, hires(roleAdmin, true)),
		manySupers("many", hires(roleSuper, false), slotRoles),
		manySupers("many-by-policy", hires(roleSuper, true), slotRoles),
		accountWide("CFL-ACC-005", "one", warning, slotRoles, demoted(1)),
		accountWide("CFL-ACC-005", "none", warning, slotRoles, demoted(0)),
		connector("disabled", failed, false, "verified"),
		connector("refused", failed, true, "failed"),
		connector("awaiting", failed, true, "awaiting"),
		connector("pending", warning, true, statusPending),
		invitationPlant("old", failed, 40*day, true),
		invitationPlant("old-in-answer", failed, 20*day, false),
		invitationPlant("recent", warning, 3*day, true),
		invitationPlant("unlogged", warning, 0, true),
	}
}

// adminLimit returns the largest acceptable number of administrators.
func (a *account) adminLimit() int { return max(3, len(a.members)/4) }

// hire adds a member with a role, or with a policy of the same name.
func (a *account) hire(local, role string, byPolicy bool) {
	m := a.newMember(local, "accepted", true)
	m["roles"] = a.roles(role)
	if byPolicy {
		m["roles"] = []obj{}
		m["policies"] = []obj{{
			"id": hexID(a.seed, "member-policy", local), "access": "allow",
			"permission_groups": []obj{{"id": hexID(a.seed, "group", role), "name": role}},
			"resource_groups":   []obj{{"id": hexID(a.seed, "resources", local), "name": "com.cloudflare.api.account." + a.id}},
		}}
	}
	a.members = append(a.members, m)
}

// manySupers adds too many super administrators, who are also too many administrators.
func manySupers(variant string, change func(*account), slot string) Plant {
	return accountWide("CFL-ACC-005", variant, failed, slot, nil).applying(func(s *Scene) []Planted {
		change(s.account)
		return append(one("CFL-ACC-005", "account", s.account.id, failed), one("CFL-ACC-003", "account", s.account.id, failed)...)
	})
}

// invitationPlant leaves an invitation open. The audit event that created it names the member as
// its resource or in its response; with a zero age there is no event.
func invitationPlant(variant, result string, age time.Duration, asResource bool) Plant {
	return Plant{CheckID: "CFL-ACC-011", Variant: variant, Result: result, ResourceType: "member",
		Apply: func(s *Scene) []Planted {
			a := s.account
			m := a.newMember("guest-"+variant, statusPending, true)
			a.members = append(a.members, m)
			if age > 0 {
				e := a.addAudit("dash", "create", "success", age)
				resource, _ := e["resource"].(obj)
				resource["product"], resource["type"] = "members", "member"
				if resource["request"] = (obj{"email": m["email"]}); asResource {
					resource["id"] = m["id"]
				} else {
					resource["response"] = obj{"id": m["id"], "status": statusPending, "user": obj{"email": m["email"]}}
				}
			}
			return one("CFL-ACC-011", "member", asText(m["id"]), result)
		}}
}
