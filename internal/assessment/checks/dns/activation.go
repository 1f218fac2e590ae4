package dns

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// activation judges whether the DS record was forgotten.
func activation() check.Check {
	return check.Check{
		ID: "CFL-DNS-011", Title: "A started DNSSEC activation finishes",
		Category: "dns", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "A signed zone without DS record protects nobody, an error state risks an outage.",
		Fix:        "Publish or correct the DS record at the registrar.",
		References: []string{"https://developers.cloudflare.com/dns/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "A signed zone that is not activated protects nobody; this sees the activation through."),
			check.Supports("soc2 CC6.7", "Answers are protected against change only once the chain to the registry is complete."),
			check.Supports("nist PR.DS-02", "Resolvers can verify answers only when the activation has finished."),
		},
		Needs: []snapshot.Named{snapshot.ZoneDNSSEC},
		Evaluate: func(v *check.View) check.Outcome {
			d := check.Read(v, snapshot.ZoneDNSSEC)
			since := d.ModifiedOn.Format(time.DateOnly)
			seen := check.Evidence(snapshot.ZoneDNSSEC, "/status", d.Status+" since "+since, "active")
			switch {
			case d.Presigned:
				return v.NotApplicable("the zone is transferred with its signatures")
			case v.Zone().Type == "partial" || v.Zone().Type == "internal":
				return v.NotApplicable("the zone is of type " + v.Zone().Type + "; it is signed elsewhere or not public")
			case v.Zone().Status != "active":
				return v.NotApplicable("the zone is not active (CFL-ZONE-003)")
			case d.Status == "active":
				return v.Pass("DNSSEC is in force.")
			case d.Status == "disabled" || d.Status == "pending-disabled":
				return v.NotApplicable("DNSSEC is off (CFL-DNS-001)")
			case d.Status == "error":
				return v.Fail("The activation of DNSSEC for "+v.Zone().Name+" ended in an error.", seen)
			case d.Status != "pending":
				return v.Unknown("the provider returned no DNSSEC status this check knows: " + d.Status)
			case d.ModifiedOn.IsZero():
				return v.Unknown("the activation is pending and the provider returned no date of it")
			case d.ModifiedOn.Before(v.Now().AddDate(0, 0, -v.Policy.PendingDays)):
				return v.Fail("The DS record of "+v.Zone().Name+" has been missing since "+since+".", seen)
			}
			return v.Warn("The DS record of "+v.Zone().Name+" is not published yet.", seen)
		},
	}
}

func activationExamples() []goodtest.Example {
	state := func(status string, ago int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			d := snapshot.DNSSEC{Status: status}
			if ago >= 0 {
				d.ModifiedOn = snapshot.At(goodtest.Now().AddDate(0, 0, -ago))
			}
			snapshot.Put(b, snapshot.ZoneDNSSEC, goodtest.Zone, d)
		}
	}
	return []goodtest.Example{
		{Name: "active", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "forgotten", Want: posture.Fail, Resource: goodtest.Zone, Edit: state("pending", 8)},
		{Name: "an error", Want: posture.Fail, Edit: state("error", 0)},
		{Name: "started", Want: posture.Warning, Resource: goodtest.Zone, Edit: state("pending", 6)},
		{Name: "off", Want: posture.NotApplicable, Edit: state("disabled", 30)},
		{Name: "being turned off", Want: posture.NotApplicable, Edit: state("pending-disabled", 30)},
		{Name: "forgotten in a zone that is not active", Want: posture.NotApplicable, Edit: goodtest.Edits(state("pending", 30),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
		{Name: "forgotten in a partial zone", Want: posture.NotApplicable, Edit: goodtest.Edits(state("pending", 30),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" }))},
		{Name: "forgotten in a secondary zone", Want: posture.Fail, Edit: goodtest.Edits(state("pending", 30),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "secondary" }))},
		{Name: "no date", Want: posture.Unknown, Edit: state("pending", -1)},
		{Name: "no status", Want: posture.Unknown, Edit: state("", 0)},
	}
}
