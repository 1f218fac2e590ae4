package waf

import (
	"net/netip"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// allowEntries judges the allow entries of IP access rules. The entries of one zone do not depend
// on those of another, so an unreadable list does not affect the rest.
func allowEntries() check.Check {
	return check.Check{
		ID: "CFL-WAF-011", Title: "Allow entries of IP access rules are narrow",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "An allow entry of the IP access rules exempts its addresses from custom rules, rate limits and managed rules, that of a " +
			"country from all but the managed rules. A country or network operator stands for millions of addresses that anyone can rent.",
		Fix: "Find out who needs the entry, replace it by their exact addresses or a skip rule for one path, then delete " +
			"it.",
		Words: posture.Words{
			Problem: "Allow entry {name} lets too many past the firewall",
			Impact: "Anyone who sends from one of these addresses attacks the sites past custom rules, rate limits and managed " +
				"rules.",
			Breaks:    "Partners and monitors in the range are inspected like everyone, and can be challenged or blocked.",
			Dashboard: "Security › Security rules › IP access rules › {name} › Delete.",
			Call:      posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/firewall/access_rules/rules/{id}"},
			Terraform: `resource "cloudflare_access_rule" "partner" {
  zone_id = "{zone_id}"
  mode    = "whitelist"
  notes   = "Who needs this, and until when"
  configuration = {
    target = "ip"
    value  = var.partner_address
  }
}`},
		References: []string{"https://developers.cloudflare.com/waf/tools/ip-access-rules/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "Few addresses are let past the firewall."),
			check.Supports("soc2 CC6.6", "Exceptions at the boundary are narrow."),
			check.Supports("pci 1.2.5", "What is let past the rules is limited to named addresses."),
			check.Touches("pci 1.2.7", "Broad entries are what a review looks for; this is not the review."),
			check.Supports("nist PR.IR-01", "Hardly anybody is let past the protection."),
		},
		Aliases: []string{"union:ip-access-allow-large", "grclanker:CF-TRF-05", "union:ip-access-rule-staleness",
			"grclanker:spec-ip-access-staleness"},
		Remedy: &propose.Remedy{Operation: "DELETE /{accounts_or_zones}/{account_or_zone_id}/firewall/access_rules/rules/{rule_id}",
			Risk: "medium", Reversible: true, Body: "none",
			Inverse: "POST the captured mode, configuration and notes to the same collection (new id)",
			Caution: "Check that no monitoring or payment partner lives in the range.",
			Propose: proposeNoEntry},
		Needs:    []snapshot.Named{snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneIPAccessRules, snapshot.AccountIPAccessRules},
		Evaluate: evaluateAllowEntries,
	}
}

func allowEntriesExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "a single address", Want: posture.Pass, Resource: goodtest.Account, Edit: zoneEntry("ip", "45.60.10.1", 10, false)},
		{Name: "a /24", Want: posture.Pass, Edit: zoneEntry("ip_range", "45.60.10.0/24", 10, false)},
		{Name: "half of the internet", Want: posture.Fail, Resource: "i1", Edit: zoneEntry("ip_range", "0.0.0.0/1", 10, true)},
		{Name: "a private range", Want: posture.Pass, Edit: zoneEntry("ip_range", "10.0.0.0/8", 10, false)},
		{Name: "a /15", Want: posture.Fail, Resource: "i1", Edit: zoneEntry("ip_range", "45.60.0.0/15", 10, true)},
		{Name: "a v6 /31", Want: posture.Fail, Resource: "i1", Edit: zoneEntry("ip_range", "2a00::/31", 10, true)},
		{Name: "a country", Want: posture.Fail, Resource: "i1", Edit: zoneEntry("country", "DE", 10, true)},
		{Name: "a country, for the account", Want: posture.Fail, Resource: "i1", Edit: accountEntry("country", "T1")},
		{Name: "a country, of a person", Want: posture.Fail, Resource: "i1", ByHand: true,
			Edit: goodtest.Edits(ofScope("user", "country", "DE"), noneShared)},
		{Name: "an address, of a person", Want: posture.Pass, Edit: goodtest.Edits(ofScope("user", "ip", "45.60.10.1"), noneShared)},
		{Name: "a country, of a scope nobody knows", Want: posture.Fail, Edit: goodtest.Edits(ofScope("team", "country", "DE"), noneShared)},
		{Name: "an entry of the account that the zone repeats", Want: posture.NotApplicable,
			Edit: goodtest.Edits(ofScope("organization", "country", "DE"), noneShared)},
		{Name: "a country, of a person, and the account is not readable", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Edits(ofScope("user", "country", "DE"), goodtest.Denied(snapshot.AccountIPAccessRules))},
		{Name: "a network operator, for the account", Want: posture.Fail, Resource: "i1", Edit: accountEntry("asn", "AS64500")},
		{Name: "a /16", Want: posture.Warning, Resource: "i1", Edit: zoneEntry("ip_range", "45.60.0.0/16", 10, true)},
		{Name: "a v6 /48", Want: posture.Warning, Resource: "i1", Edit: zoneEntry("ip_range", "2a00::/48", 10, true)},
		{Name: "old and without notes", Want: posture.Warning, Resource: "i1", Edit: zoneEntry("ip", "45.60.10.1", 366, false)},
		{Name: "old with notes", Want: posture.Pass, Edit: zoneEntry("ip", "45.60.10.1", 366, true)},
		{Name: "a country, and the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneEntry("country", "DE", 10, true),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "a target nobody knows", Want: posture.Unknown, Resource: "i1", Edit: zoneEntry("planet", "mars", 10, true)},
		{Name: "a mode nobody knows", Want: posture.Unknown, Resource: "i1", Edit: func(b *snapshot.Builder) {
			rules := entry("country", "DE", 10, true)
			rules[1].Mode = "odd"
			snapshot.Put(b, snapshot.ZoneIPAccessRules, goodtest.Zone, rules)
		}},
		{Name: "no entry", Want: posture.NotApplicable},
		{Name: "a zone that is not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Denied(snapshot.ZoneIPAccessRules)},
		{Name: "the account is not readable", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Denied(snapshot.AccountIPAccessRules)},
	}
}

func entry(target, value string, age int, notes bool) []snapshot.IPAccessRule {
	return []snapshot.IPAccessRule{{ID: "i0", Mode: "block", Target: "country", Value: "XX"}, {ID: "i1", Mode: "whitelist", Target: target,
		Value: value, HasNotes: notes, ModifiedOn: snapshot.At(goodtest.Now().AddDate(0, 0, -age))}}
}

func zoneEntry(target, value string, age int, notes bool) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneIPAccessRules, goodtest.Zone, entry(target, value, age, notes))
	}
}

// noneShared is an example edit: the account has no allow entry.
func noneShared(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AccountIPAccessRules, goodtest.Account, []snapshot.IPAccessRule{})
}

// ofScope is an example edit: the list of the zone has an entry with a wider scope.
func ofScope(scope, target, value string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		rules := entry(target, value, 10, true)
		rules[1].Scope = scope
		snapshot.Put(b, snapshot.ZoneIPAccessRules, goodtest.Zone, rules)
	}
}

func accountEntry(target, value string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccountIPAccessRules, goodtest.Account, entry(target, value, 10, true))
	}
}

// ofUser is the scope of an entry that a user made for all of their zones.
const ofUser = "user"

func evaluateAllowEntries(v *check.View) check.Outcome {
	j := v.Judge()
	judged := map[string]bool{}
	rules, shared := check.ReadOptionalAt(v, snapshot.AccountIPAccessRules, v.Account().ID)
	if shared {
		for _, r := range rules {
			judged[r.ID] = true
			judgeEntry(v, j, r, snapshot.AccountIPAccessRules, posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Value})
		}
	} else {
		j.Unread(accountResource(v), snapshot.AccountIPAccessRules, v.Account().ID)
	}
	for _, z := range v.Zones() {
		if z.Paused || z.Status != "active" {
			continue // its requests do not meet the firewall
		}
		rules, ok := check.ReadOptionalAt(v, snapshot.ZoneIPAccessRules, z.ID)
		if !ok {
			j.Unread(zoneResource(z), snapshot.ZoneIPAccessRules, z.ID)
			continue
		}
		for _, r := range rules {
			// The list of a zone repeats the entries of its account, and those that a user made for
			// all of their zones, which are in no other list.
			own := r.Scope == "" || r.Scope == "zone"
			if r.Scope == "organization" || r.Scope == ofUser && !shared || !own && judged[r.ID] {
				continue
			}
			judged[r.ID] = true
			judgeEntry(v, j, r, snapshot.ZoneIPAccessRules, posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Value, ZoneID: z.ID,
				Zone: z.Name})
		}
	}
	return j.Done("Every allow entry of the IP access rules is narrow.", "no IP access rule allows anything")
}

func judgeEntry(v *check.View, j *check.Judgement, r snapshot.IPAccessRule, source snapshot.Named, res posture.Resource) {
	switch r.Mode {
	case "block", "challenge", "js_challenge", "managed_challenge":
		return
	case "whitelist":
	default:
		j.Unclear(res, "the IP access rule has a mode that is not known here: "+r.Mode)
		return
	}
	seen := check.Evidence(source, "/"+r.ID+"/value", r.Target+" "+r.Value, "an address or a range of /24 (v4) or /64 (v6) and narrower")
	changed := r.ModifiedOn
	if changed.IsZero() {
		changed = r.CreatedOn
	}
	size, ok := widthOf(r)
	switch {
	case !ok:
		j.Unclear(res, "the allow entry has a target this check does not know: "+r.Target)
	case r.Target == "country": // managed rules still apply (developers.cloudflare.com/waf/tools/ip-access-rules/)
		j.Fail(res, "The allow entry for the country "+r.Value+" exempts everyone there from custom rules and rate limits.", seen)
		j.As(entryWords(res, r, posture.Words{Problem: "Allow entry {name} lets a whole country past the firewall",
			Impact: "Anyone who sends from that country attacks the sites past custom rules and rate limits; managed rules still act."}))
	case size >= exposure.Wide:
		j.Fail(res, "The allow entry for the "+targetOf(r)+" "+r.Value+" exempts everyone there from custom rules, rate limits "+
			"and managed rules.", seen)
		j.As(entryWords(res, r, posture.Words{}))
	case size == exposure.Middling:
		j.Warn(res, "The allow entry for the range "+r.Value+" is wider than "+narrowest(r.Value)+".", seen)
		j.As(entryWords(res, r, posture.Words{Problem: "Allow entry {name} covers a wide range",
			Impact: "Anyone who gets an address in the range attacks the sites past custom rules, rate limits and managed rules."}))
	case !r.HasNotes && changed.IsZero():
		j.Unclear(res, "the allow entry has no notes and Cloudflare did not say when it was changed")
	case !r.HasNotes && changed.Before(v.Now().AddDate(0, 0, -365)):
		j.Warn(res, "The allow entry for "+r.Value+", last changed on "+check.Day(changed)+", has no notes.",
			check.Evidence(source, "/"+r.ID+"/modified_on", changed.Format(time.DateOnly), "notes, or a change within a year"))
		j.As(entryWords(res, r, posture.Words{Problem: "Allow entry {name} is old and has no note",
			Impact:    "Nobody can say who uses the address today; whoever got it since then passes the firewall.",
			Breaks:    "Nothing by the note; without the entry its user is inspected like everyone.",
			Dashboard: "Security › Security rules › IP access rules › {name} › Edit: note who needs it, or delete it.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/firewall/access_rules/rules/{id}", Body: `{"notes": "{$NOTE}"}`,
				Choose: "NOTE: who needs the entry, and until when (such as Payment partner until 2027)"}}))
	default:
		j.Pass()
	}
}

// entryWords adapts the words to an entry of the account, which is changed there, and to one that a
// user made for all of their zones, which nobody else changes.
func entryWords(res posture.Resource, r snapshot.IPAccessRule, w posture.Words) posture.Words {
	switch {
	case r.Scope == ofUser:
		w.ByHand, w.Dashboard = true, "Security › Security rules › IP access rules shows {name}; the user who made it for all of their zones "+
			"deletes it by the API, at /user/firewall/access_rules/rules."
		return w
	case res.ZoneID != "":
		return w
	}
	const path = "/accounts/{account_id}/firewall/access_rules/rules/{id}"
	if w.Call.Path == "" {
		w.Call.Method = "DELETE"
	}
	w.Call.Path = path
	w.Dashboard = "Security › Security rules (of any zone) › IP access rules › {name}, for all websites in the account › Edit or delete."
	w.Terraform = `resource "cloudflare_access_rule" "partner" {
  account_id = "{account_id}"
  mode       = "whitelist"
  notes      = "Who needs this, and until when"
  configuration = {
    target = "ip"
    value  = var.partner_address
  }
}`
	return w
}

// targetOf describes what an entry applies to.
func targetOf(r snapshot.IPAccessRule) string {
	switch r.Target {
	case "asn":
		return "network operator"
	case "ip_range":
		return "range"
	default:
		return r.Target
	}
}

// narrowest returns the widest prefix length that counts as narrow.
func narrowest(value string) string {
	if strings.Contains(value, ":") {
		return "/64"
	}
	return "/24"
}

// widthOf grades how much an entry admits.
func widthOf(r snapshot.IPAccessRule) (size exposure.Width, ok bool) {
	switch r.Target {
	case "country", "asn":
		return exposure.Wide, true
	case "ip", "ip6":
		_, err := netip.ParseAddr(r.Value)
		return exposure.Narrow, err == nil
	case "ip_range":
		p, err := netip.ParsePrefix(r.Value)
		if err != nil {
			return exposure.Narrow, false
		}
		return exposure.WidthOf(p), true
	default:
		return exposure.Narrow, false
	}
}

// proposeNoEntry deletes a wide allow entry. A narrow one is kept even without a note.
func proposeNoEntry(c *propose.Case) ([]change.Edit, error) {
	collection := c.Scope() + "/firewall/access_rules/rules"
	item := collection + c.Path("/{id}")
	live, err := c.Locate(change.Place{Path: item})
	if err != nil || propose.Text(live, "mode") != "whitelist" {
		return nil, err
	}
	configuration, _ := live["configuration"].(map[string]any)
	scope, _ := live["scope"].(map[string]any)
	size, ok := widthOf(snapshot.IPAccessRule{Target: propose.Text(configuration, "target"), Value: propose.Text(configuration, "value")})
	switch {
	case propose.Text(scope, "type") == ofUser:
		return nil, propose.Refuse("A user made the allow entry for all of their zones; ask that person to delete it.")
	case !ok:
		return nil, propose.Refuse("The allow entry has a target whose reach is not known; judge it by hand.")
	case size == exposure.Narrow:
		return nil, propose.Refuse("The allow entry is narrow; only a person can find out who uses it, so note that or delete it by hand.")
	}
	members := map[string]any{"mode": live["mode"], "configuration": live["configuration"], "notes": live["notes"]}
	again := change.Place{Path: collection, Match: map[string]any{"mode": live["mode"], "configuration": live["configuration"]}}
	if kind := propose.Text(scope, "type"); kind != "" { // a zone lists the entries of its account, too
		again.Match["scope"] = map[string]any{"type": kind}
	}
	return []change.Edit{propose.Delete(change.Place{Path: item}, again, item, collection, live, members)}, nil
}
