package simcloud

import "slices"

func plantsPeople() []Plant {
	return []Plant{
		{CheckID: "CFL-TOK-002", Variant: "no-expiry", Result: failed, ResourceType: "token", Apply: plantEndlessToken},
		accountWide("CFL-ACC-001", "not-enforced", failed, "enforce", func(a *account) {
			a.enforceTwoFA = false
			a.connectors = slices.DeleteFunc(a.connectors, inForce)
		}),
		accountWide("CFL-ACC-001", "other-domain", warning, "enforce", func(a *account) {
			a.enforceTwoFA = false
			a.connectors = append(a.connectors, a.newConnector("sso."+a.zoneName(0), true, "verified"))
		}),
		accountWide("CFL-ACC-012", "on", failed, "dns-only", func(a *account) { a.dnsOnly = true }),
		accountWide("CFL-ACC-014", "staff", failed, "user-groups", func(a *account) {
			var all []obj
			for i := range 12 {
				m := a.newMember("staff"+num(i+1), "accepted", true)
				m["roles"] = a.roles("DNS")
				all = append(all, m)
			}
			a.members = append(a.members, all...)
			a.userGroup("Staff", roleAdmin, all...)
		}),
		{CheckID: "CFL-ACC-013", Variant: "personal", Result: failed, ResourceType: "member", Apply: func(s *Scene) []Planted {
			m := s.account.newMember("freelancer", "accepted", true)
			m["email"] = "freelancer@gmail.com"
			s.account.members = append(s.account.members, m)
			return one("CFL-ACC-013", "member", asText(m["id"]), failed)
		}},
		{CheckID: "CFL-ACC-010", Variant: "no-factor", Result: failed, ResourceType: "member", Apply: memberPlant("contractor", "accepted",
			failed)},
		{CheckID: "CFL-ACC-010", Variant: "invited", Result: warning, ResourceType: "member", Apply: memberPlant("newcomer", statusPending,
			warning)},
	}
}

func plantEndlessToken(s *Scene) []Planted {
	t := s.account.newToken("Legacy backup job", "")
	s.account.tokens = append(s.account.tokens, t)
	// An inactive token without an expiry is not a finding.
	off := s.account.newToken("Old pipeline", "")
	off["status"] = "disabled"
	s.account.tokens = append(s.account.tokens, off)
	return one("CFL-TOK-002", "token", asText(t["id"]), failed)
}

func memberPlant(local, status, result string) func(*Scene) []Planted {
	return func(s *Scene) []Planted {
		m := s.account.newMember(local, status, false)
		m["roles"] = s.account.roles("DNS")
		s.account.members = append(s.account.members, m)
		found := one("CFL-ACC-010", "member", asText(m["id"]), result)
		if status == statusPending {
			found = append(found, one("CFL-ACC-011", "member", asText(m["id"]), warning)...)
		}
		return found
	}
}
