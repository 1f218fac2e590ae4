package dns

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// activation judges whether the DS record is still missing.
func activation() check.Check {
	return check.Check{
		ID: "CFL-DNS-011", Title: "A started DNSSEC activation finishes",
		Category: "dns", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Cloudflare signs the zone as soon as DNSSEC is turned on, but resolvers validate only once the parent zone " +
			"has the DS record. A DS record that does not match the keys makes validating resolvers refuse every answer.",
		Fix: "Copy the DS record that Cloudflare shows, publish it at the registrar, and remove any other DS record there.",
		Words: posture.Words{
			Problem: "DNSSEC of {zone} was turned on and never finished",
			Impact: "Anyone who can poison a resolver or answer faster than the name server can still forge answers and lead " +
				"visitors elsewhere.",
			Breaks:    "A DS record with a typing error takes the domain offline for everyone behind a validating resolver.",
			Dashboard: "DNS › Settings › DNSSEC › DS Record: copy the values to the registrar and wait for the status Active.",
		},
		References: []string{"https://developers.cloudflare.com/dns/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "A signed zone that is not activated protects nobody; this sees the activation through."),
			check.Supports("soc2 CC6.7", "Answers are protected against change only once the chain to the registry is complete."),
			check.Supports("nist PR.DS-02", "Resolvers can verify answers only when the activation has finished."),
		},
		Needs: []snapshot.Named{snapshot.ZoneDNSSEC},
		Evaluate: func(v *check.View) check.Outcome {
			d := check.Read(v, snapshot.ZoneDNSSEC)
			since := check.Day(d.ModifiedOn)
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
				return v.Fail("Cloudflare reports an error in DNSSEC of "+v.Zone().Name+".", seen).
					As(posture.Words{Problem: "DNSSEC of {zone} is in an error state",
						Impact: "When the DS record does not match the keys, validating resolvers refuse every answer and the domain is offline for " +
							"their users."})
			case d.Status != "pending":
				return v.Unknown("Cloudflare returned a DNSSEC status this check does not know: " + d.Status)
			case d.ModifiedOn.IsZero():
				return v.Unknown("DNSSEC is pending and Cloudflare did not say since when")
			case d.ModifiedOn.Before(v.Now().AddDate(0, 0, -v.Policy.PendingDays)):
				return v.Fail("DNSSEC of "+v.Zone().Name+" has waited for its DS record at the registrar since "+since+".", seen)
			}
			return v.Warn("DNSSEC of "+v.Zone().Name+" was turned on, and since "+since+" waits for its DS record at the registrar.", seen).
				As(posture.Words{Problem: "DNSSEC of {zone} waits for its DS record"})
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
