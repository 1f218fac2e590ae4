package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dangling judges records that point to names that do not exist. Only the name system
// is asked: a web page that looks abandoned proves nothing, and asking for it
// would be noticed. Targets on the provider's own platforms are CFL-DNS-007.
func dangling() check.Check {
	return check.Check{
		ID: "CFL-DNS-006", Title: "No record points to something another party can claim",
		Category: "dns", Severity: posture.Critical, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "Whoever registers the abandoned name serves content, mail or certificates under the domain.",
		Fix: "Delete the record or take the target back.",
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "Records to services that were given up are removed."),
			check.Supports("cis 7.6", "It looks for claimable names on every run."),
			check.Supports("soc2 CC6.6", "Outsiders cannot serve pages from inside the domain."),
			check.Supports("pci 1.4.2", "A name of the domain does not lead to a component that a stranger runs."),
			check.Supports("pci 6.3.1", "Claimable names are found and ranked."),
			check.Supports("nist ID.RA-01", "Claimable names are found and recorded as vulnerabilities."),
		},
		Aliases: []string{"prowler:dns_record_cname_target_valid", "cfsi:dangling-cname", "subjack:cname"},
		Remedy: &propose.Remedy{Operation: "DELETE /zones/{zone_id}/dns_records/{dns_record_id}", Risk: "medium", Reversible: true,
			Body:    "none",
			Inverse: "POST /zones/{zone_id}/dns_records with the captured record (new id)",
			Caution: "Resolve once more from two resolvers right before deleting; refuse for NS records at delegation points.",
			Propose: proposeRemoval},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			var out []snapshot.Question
			for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
				out = append(out, questionsOf(v, r)...)
			}
			return out
		},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
				if questions := questionsOf(v, r); len(questions) > 0 {
					judgeTarget(v, j, r, questions)
				}
			}
			return j.Done("Every target outside the account exists.", "no record points outside the zones of the account")
		},
	}
}

func danglingExamples() []goodtest.Example {
	to := func(kind, content string) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: "t1", Name: "app." + goodtest.Domain, Type: kind, Content: content})
	}
	sub := "app." + goodtest.Domain
	return []goodtest.Example{
		{Name: "every target is there", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a free name where anybody may claim it", Want: posture.Fail, Resource: "t1",
			Edit: goodtest.Edits(to("CNAME", "old-shop.azurewebsites.net"), goodtest.Answer("A", "old-shop.azurewebsites.net", "NXDOMAIN"))},
		{Name: "a free name elsewhere", Want: posture.Warning, Resource: "t1", Edit: goodtest.Edits(to("CNAME", "app.closed.test"),
			goodtest.Answer("A", "app.closed.test", "NXDOMAIN"))},
		{Name: "the claimable domain itself is not claimable", Want: posture.Warning, Edit: goodtest.Edits(to("CNAME", "github.io"),
			goodtest.Answer("A", "github.io", "NXDOMAIN"))},
		{Name: "a mail host that is gone", Want: posture.Warning, Edit: goodtest.Edits(to("MX", "mx.closed.test"),
			goodtest.Answer("A", "mx.closed.test", "NXDOMAIN"))},
		{Name: "a service host that is gone", Want: posture.Fail, Edit: goodtest.Edits(to("SRV", "5 443 chat.herokuapp.com"),
			goodtest.Answer("A", "chat.herokuapp.com", "NXDOMAIN"))},
		{Name: "a lame delegation anybody may answer", Want: posture.Fail, Edit: goodtest.Edits(to("NS", "ns1-01.azure-dns.com"),
			goodtest.Answer("SOA", sub, "SERVFAIL"), goodtest.Answer("A", "ns1-01.azure-dns.com", "NOERROR"))},
		{Name: "a lame delegation elsewhere", Want: posture.Warning, Edit: goodtest.Edits(to("NS", "ns1.closed.test"),
			goodtest.Answer("SOA", sub, "SERVFAIL"), goodtest.Answer("A", "ns1.closed.test", "NOERROR"))},
		{Name: "a name server that is gone", Want: posture.Warning, Edit: goodtest.Edits(to("NS", "ns1.closed.test"),
			goodtest.Answer("SOA", sub, "NOERROR"), goodtest.Answer("A", "ns1.closed.test", "NXDOMAIN"))},
		{Name: "a delegation that works", Want: posture.Pass, Edit: goodtest.Edits(to("NS", "ns1.open.test"),
			goodtest.Answer("SOA", sub, "NOERROR", "ns1.open.test"), goodtest.Answer("A", "ns1.open.test", "NOERROR", "45.60.9.9"))},
		{Name: "a server that fails twice", Want: posture.Warning, Edit: goodtest.Edits(to("CNAME", "app.ill.test"),
			goodtest.Answer("A", "app.ill.test", "SERVFAIL"))},
		{Name: "a name without an address exists", Want: posture.Pass, Edit: goodtest.Edits(to("CNAME", "verify.open.test"),
			goodtest.Answer("A", "verify.open.test", "NOERROR"))},
		{Name: "nobody looked", Want: posture.Unknown, Resource: "t1", Edit: to("CNAME", "app.closed.test")},
		{Name: "a failure stands although nobody looked at the rest", Want: posture.Fail,
			Edit: goodtest.Edits(to("CNAME", "x.surge.sh"), goodtest.Answer("A", "x.surge.sh", "NXDOMAIN"),
				goodtest.AddRecord(snapshot.DNSRecord{ID: "t2", Name: "b." + goodtest.Domain, Type: "CNAME", Content: "b.closed.test"}))},
		{Name: "only inside, and a null MX", Want: posture.NotApplicable, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Type == "MX" {
				r.Content = "."
			}
		})},
	}
}

// questionsOf lists what must be known about a record that points outside. A
// delegation is asked for by its own name: its servers may exist and still not
// answer for it.
func questionsOf(v *check.View, r snapshot.DNSRecord) []snapshot.Question {
	if !slices.Contains([]string{"CNAME", "MX", "NS", "SRV"}, r.Type) {
		return nil
	}
	target := canonical(lastWord(r.Content))
	if target == "" || exposure.Within(target, "pages.dev") || exposure.Within(target, "cfargotunnel.com") {
		return nil
	}
	for _, z := range check.ReadAt(v, snapshot.ZoneList, v.Account().ID) {
		if exposure.Within(target, z.Name) {
			return nil
		}
	}
	out := []snapshot.Question{{Type: "A", Name: target}}
	if r.Type == "NS" {
		out = append(out, snapshot.Question{Type: "SOA", Name: canonical(r.Name)})
	}
	return out
}

func judgeTarget(v *check.View, j *check.Judgement, r snapshot.DNSRecord, questions []snapshot.Question) {
	res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
	target := questions[0].Name
	services := claimable()
	if r.Type == "NS" {
		services = claimableServers()
	}
	state, unknown := "", snapshot.Question{}
	for i, q := range questions {
		l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, q.Scope())
		switch {
		case !ok:
			unknown = q
		case l.Missing():
			state = "does not exist"
		case i > 0 && l.Rcode != "NOERROR":
			state = "does not answer for " + q.Name
		case l.Rcode == "SERVFAIL" && state == "":
			state = "could not be resolved twice"
		}
		if state != "" {
			break
		}
	}
	seen := check.Evidence(snapshot.DNSLookup, "/"+target, target+" "+state, "a target that exists")
	s, free := serviceOf(target, services)
	switch {
	case state == "" && unknown.Name != "":
		j.Unread(res, snapshot.DNSLookup, unknown.Scope())
	case state == "":
		j.Pass()
	case free && state != "could not be resolved twice":
		j.Fail(res, "The "+r.Type+" record "+r.Name+" points to "+target+", which "+state+"; anybody may claim it at "+s.name+
			" (high confidence, "+s.source+").", seen)
	default:
		j.Warn(res, "The "+r.Type+" record "+r.Name+" points to "+target+", which "+state+".", seen)
	}
}

// proposeRemoval deletes a record whose target does not exist, once a new DNS look-up
// confirms it. A delegation is left to people: what lies below it is not seen here.
func proposeRemoval(c *propose.Case) ([]change.Edit, error) {
	place, live, err := record(c)
	if live == nil || err != nil {
		return nil, err
	}
	target := canonical(lastWord(propose.Text(live, "content")))
	switch kind := propose.Text(live, "type"); {
	case kind == "NS":
		return nil, propose.Refuse("The record delegates a name, and what lies below it cannot be seen here; remove it by hand.")
	case kind != "CNAME" && kind != "MX" && kind != "SRV", target == "", exposure.Within(target, "pages.dev"),
		exposure.Within(target, "cfargotunnel.com"):
		return nil, nil
	}
	zone, err := c.OwnZoneOf(target)
	if zone != nil || err != nil {
		return nil, err
	}
	for _, kind := range []string{"A", "AAAA"} {
		answer, err := c.Ask(snapshot.Question{Type: kind, Name: target})
		switch {
		case err != nil:
			return nil, err
		case answer.Rcode == "NOERROR":
			return nil, propose.Refuse("The target %s exists now, so the record stays; run a new assessment.", target)
		case !answer.Missing():
			return nil, propose.Refuse("The name system gave no clear answer about %s (%s), so the record stays.", target, answer.Rcode)
		}
	}
	return deletion(c, place, live)
}
