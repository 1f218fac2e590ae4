package simcloud

import "time"

func plantsInsight() []Plant {
	exposed, safe := "exposed_infrastructure", "compliance_violation"
	table := []Plant{
		insightPlant("CFL-ASM-001", "dangling", failed, exposed, "a_record_dangling", "Critical", 2*day),
		insightPlant("CFL-ASM-001", "remote-desktop", failed, exposed, "Exposed_RDP_Server", "Moderate", 2*day),
		insightPlant("CFL-ASM-001", "low", warning, exposed, "exposed_remote_desktop", "Low", 2*day),
		insightPlant("CFL-INSIGHT-001", "critical", failed, "weak_authentication", "users_without_mfa", "Critical", 2*day),
		insightPlant("CFL-INSIGHT-003", "critical", failed, safe, "stale_policy", "Critical", 9*day, Planted{CheckID: "CFL-INSIGHT-001",
			Result: failed}),
		insightPlant("CFL-INSIGHT-003", "critical-exposure", failed, exposed, "cname_record_dangling", "Critical", 9*day,
			Planted{CheckID: "CFL-ASM-001", Result: failed}),
		insightPlant("CFL-INSIGHT-003", "moderate", warning, safe, "stale_policy", "Moderate", 45*day, Planted{CheckID: "CFL-INSIGHT-007",
			Result: failed}),
		insightPlant("CFL-INSIGHT-008", "old", failed, "configuration_suggestion", "new_casb_integrations", "Low", 120*day),
		insightPlant("CFL-INSIGHT-008", "recent", warning, "configuration_suggestion", "unassigned_access_seats", "Low", 10*day),
		accountWide("CFL-INSIGHT-009", "critical", failed, "dismissed-critical", func(a *account) {
			a.addInsight(exposed, "aaaa_record_dangling", "Critical", 30*day)["dismissed"] = true
		}),
		accountWide("CFL-INSIGHT-009", "moderate", warning, "dismissed-moderate", func(a *account) {
			a.addInsight(safe, "stale_policy", "Moderate", 60*day)["dismissed"] = true
		}),
	}
	for _, k := range []struct{ check, kind string }{
		{"CFL-INSIGHT-002", "insecure_configuration"}, {"CFL-INSIGHT-004", "weak_authentication"}, {"CFL-INSIGHT-005", exposed},
		{"CFL-INSIGHT-006", "email_security"}, {"CFL-INSIGHT-007", safe},
	} {
		table = append(table, insightPlant(k.check, "moderate", failed, k.kind, "some_"+k.kind, "Moderate", 2*day),
			insightPlant(k.check, "low", warning, k.kind, "some_"+k.kind, "Low", 2*day))
	}
	return table
}

// insightPlant opens an issue; also lists the account's other resulting findings.
func insightPlant(check, variant, result, kind, class, severity string, age time.Duration, also ...Planted) Plant {
	return accountWide(check, variant, result, check+"/"+variant, nil).applying(func(s *Scene) []Planted {
		s.account.addInsight(kind, class, severity, age)
		var found []Planted
		for _, f := range append([]Planted{{CheckID: check, Result: result}}, also...) {
			of, id := "account", s.account.id
			if f.CheckID == "CFL-ASM-001" || f.CheckID == "CFL-INSIGHT-001" {
				of, id = "zone", s.account.zoneID(0)
			}
			found = append(found, one(f.CheckID, of, id, f.Result)...)
		}
		return found
	})
}
