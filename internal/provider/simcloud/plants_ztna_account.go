package simcloud

import "slices"

// plantsZeroTrust misconfigure Zero Trust as a whole.
func plantsZeroTrust() []Plant {
	idps := func(variant, result string, kinds ...string) Plant {
		return accountWide("CFL-ZT-001", variant, result, slotIDPs, func(a *account) {
			for i, kind := range kinds {
				if i == 0 {
					a.idps[0]["type"], a.idps[0]["name"], a.idps[0]["config"], a.idps[0]["scim_config"] = kind, "Login", obj{}, obj{}
					continue
				}
				a.addIDP("Login "+kind, kind, obj{}, obj{})
			}
		}).onAccess()
	}
	app := func(variant, result, kind string, decisions ...string) Plant {
		return found("CFL-ZT-002", variant, result, "access_app", func(a *account) string {
			made := a.addApp("Leftover "+variant, kind, variant+"-left."+a.zoneName(0))
			policies := []obj{}
			for _, d := range decisions {
				policies = append(policies, a.newPolicy("Only "+d, d, obj{"ip": obj{"ip": "185.220.22.9/32"}}))
			}
			made["policies"] = policies
			return asText(made["id"])
		}).onAccess()
	}
	life := func(variant, result, duration string) Plant {
		return found("CFL-ZT-006", variant, result, "token", func(a *account) string {
			t := a.addUsedServiceToken("life-" + variant)
			if t["duration"] = duration; duration == "" {
				delete(t, "duration")
			}
			return asText(t["id"])
		}).onAccess()
	}
	return []Plant{
		idps("mailed-codes", failed, "onetimepin"), idps("own-login", failed, "cloudflare"), idps("consumer", warning, "google", "onetimepin"),
		app("none", failed, "self_hosted"), app("none-ssh", failed, "ssh"), app("none-saas", warning, "saas"),
		app("deny-only", warning, "self_hosted", "deny"), app("deny-twice", warning, "self_hosted", "deny", "deny"),
		life("ten-years", failed, "87600h"), life("forever", failed, "forever"), life("untold", warning, ""),
		enrolmentPlant("everyone", failed, obj{"everyone": obj{}}), enrolmentPlant("public-mail", failed,
			obj{"email_domain": obj{"domain": "gmx.net"}}),
		enrolmentPlant("any-device", warning, nil), noEnrolment(), noOrganisation(),
	}
}

// slotEnrolment is the device enrolment application.
const slotEnrolment = "device-enrolment"

func enrolmentPlant(variant, result string, include obj) Plant {
	slots := []string{slotEnrolment}
	if include != nil { // adds an identity provider
		slots = append(slots, slotIDPs)
	}
	return Plant{CheckID: "CFL-ZT-003", Variant: variant, Result: result, ResourceType: "account", slots: slots,
		fits: enrols, Apply: func(s *Scene) []Planted {
			policies, _ := s.account.enrolment["policies"].([]obj)
			p := policies[0]
			p["require"] = []obj{}
			out := one("CFL-ZT-003", "account", s.account.id, result)
			if include == nil {
				return out
			}
			p["include"] = []obj{include}
			google := s.account.addIDP("Google", "google", obj{}, obj{})
			s.account.enrolment["allowed_idps"] = []any{google["id"]}
			if include["email_domain"] != nil {
				out = append(out, one("CFL-ZT-011", "access_policy", asText(p["id"]), failed)...)
			}
			return out
		}}
}

func enrols(a *account) bool { return a.org != nil && a.enrolment != nil }

// noEnrolment removes the device enrolment application while private routes remain. Device profiles
// show that devices are managed nevertheless.
func noEnrolment() Plant {
	p := accountWide("CFL-ZT-003", "no-application", warning, slotEnrolment, func(a *account) {
		i := byKey(a.apps, "id", asText(a.enrolment["id"]))
		a.apps = append(a.apps[:i:i], a.apps[i+1:]...)
		a.enrolment = nil
	})
	return p.when(func(a *account) bool { return enrols(a) && len(a.routes) > 0 })
}

// noOrganisation is an account with tunnels that never set up Zero Trust. That affects how
// everything else is generated, so foregoAccess decides it beforehand.
func noOrganisation() Plant {
	return accountWide("CFL-ZT-027", "no-organisation", failed, slotOrg, func(*account) {}).
		when(func(a *account) bool { return a.org == nil && len(a.tunnels) > 0 })
}

// foregoAccess leaves Access out of an account whose spec plants noOrganisation.
func (a *account) foregoAccess() {
	if !a.spec.Clean && slices.ContainsFunc(a.spec.Plants, func(r PlantRule) bool { return r.CheckID == "CFL-ZT-027" }) {
		a.spec.Apps = -1
	}
}
