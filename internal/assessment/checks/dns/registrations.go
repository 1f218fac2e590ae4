package dns

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// registered is an example edit that sets the domains registered with the provider.
func registered(all ...snapshot.Registration) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.AccountRegistrations, goodtest.Account, all) }
}

// registration returns a domain for an example.
func registration(domain string, locked, renew bool, left int) snapshot.Registration {
	return snapshot.Registration{Domain: domain, Status: "active", Locked: &locked, AutoRenew: &renew,
		ExpiresAt: snapshot.At(goodtest.Now().AddDate(0, 0, left))}
}

// transferLock judges whether domains can be transferred away unnoticed. A registration belongs to
// the account, so all affected domains form one finding.
func transferLock() check.Check {
	return check.Check{
		ID: "CFL-REG-001", Title: "Registered domains are locked against transfer",
		Category: "dns", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "With the registrar lock off, the registry accepts a transfer to another registrar. Whoever has the transfer " +
			"code and the approval takes the domain with its mail and logins.",
		Fix: "Turn the registrar lock on for each domain that is not being transferred on purpose.",
		Words: posture.Words{
			Problem: "Domains of this account are not locked against transfer",
			Impact: "Someone who gets into the account or the mailbox of the registrant can move the domain to a registrar of " +
				"their own.",
			Breaks:    "A transfer that is wanted fails until the domain is unlocked.",
			Dashboard: "Domain Registration › Manage Domains › the domain › Manage › Configuration › Registrar lock: On.",
			Terraform: `resource "cloudflare_registrar_domain" "domain" {
  account_id  = "{account_id}"
  domain_name = var.domain_name
  locked      = true
}`},
		References: []string{"Cloudflare API: Registrar registrations"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "The transfer lock is part of a hardened registration."),
			check.Supports("soc2 CC6.1", "The domain cannot be moved away without unlocking it first."),
			check.Touches("pci 2.2.1", "The lock is one setting of a standard that covers much more."),
			check.Supports("nist PR.AA-05", "Moving the domain takes a deliberate permission."),
		},
		Needs: []snapshot.Named{snapshot.AccountRegistrations},
		Evaluate: func(v *check.View) check.Outcome {
			var open, moving, odd []string
			all := check.Read(v, snapshot.AccountRegistrations)
			for _, r := range all {
				switch {
				case r.Status == "registration_pending": // not registered yet
				case r.Locked == nil:
					odd = append(odd, r.Domain)
				case *r.Locked:
				case strings.Contains(strings.ToLower(r.Status), "transfer"):
					moving = append(moving, r.Domain)
				default:
					open = append(open, r.Domain)
				}
			}
			return judgeDomains(v, len(all), domains{open, "without a registrar lock", "locked", posture.Words{}}, domains{moving,
				"without a registrar lock while a transfer is under way", "locked", posture.Words{
					Problem: "Domains of this account are unlocked for a transfer",
					Impact:  "If nobody of yours started the transfer, the domain leaves the account with its mail and logins within days."}}, odd)
		},
	}
}

func transferLockExamples() []goodtest.Example {
	leaving := registration("b.example", false, true, 200)
	leaving.Status = "transferringOut"
	coming := registration("c.example", false, true, 400)
	coming.Status = "registration_pending"
	unsaid := registration("b.example", true, true, 200)
	unsaid.Locked = nil
	return []goodtest.Example{
		{Name: "locked", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one of two is not", Want: posture.Fail, Resource: goodtest.Account, Edit: registered(registration("a.example", true, true, 200),
			registration("b.example", false, true, 200))},
		{Name: "a transfer is under way", Want: posture.Warning, Resource: goodtest.Account, Edit: registered(leaving)},
		{Name: "not returned", Want: posture.Unknown, Edit: registered(unsaid)},
		{Name: "not registered yet", Want: posture.Pass, Edit: registered(registration("a.example", true, true, 200), coming)},
		{Name: "none is registered here", Want: posture.NotApplicable, Edit: registered()},
	}
}

// renewalTried is the number of days before expiry by which Cloudflare has tried to renew a domain
// more than once: the first attempt is about 30 days before expiry, the last the day before
// (developers.cloudflare.com/registrar/account-options/renew-domains/).
const renewalTried = 25

// renewal judges whether a domain may lapse and be registered by someone else.
func renewal() check.Check {
	return check.Check{
		ID: "CFL-REG-002", Title: "Registered domains renew before they lapse",
		Category: "dns", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "An expired domain stops answering and, after a grace period, is free for anyone. The new owner receives its " +
			"mail, including password resets.",
		Fix: "Renew expired domains at once; for the others check the payment method, then turn automatic renewal on.",
		Words: posture.Words{
			Problem: "Domains of this account are about to expire",
			Impact: "Websites and mail stop when the domain expires, and whoever registers it next receives its mail and " +
				"visitors.",
			Breaks:    "Nothing; the payment method is charged at the next renewal.",
			Dashboard: "Domain Registration › Manage Domains › the domain › Manage › Auto Renew: On.",
			Terraform: `resource "cloudflare_registrar_domain" "domain" {
  account_id  = "{account_id}"
  domain_name = var.domain_name
  auto_renew  = true
}`},
		References: []string{"https://developers.cloudflare.com/registrar/account-options/renew-domains/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Renewal is set up so that the domain stays in the organisation's hands."),
			check.Touches("soc2 A1.2", "It prevents an outage; nothing is recovered by it."),
			check.Touches("pci 2.2.1", "Renewal is one setting of a standard that covers much more."),
			check.Supports("nist PR.IR-04", "The name stays available."),
		},
		Remedy: &propose.Remedy{Operation: "PATCH /accounts/{account_id}/registrar/registrations/{domain_name}", Risk: "low", Reversible: true,
			Body:    `{"auto_renew": true}`,
			Inverse: `PATCH {"auto_renew": false}`,
			Caution: "Cloudflare charges the renewal. The token needs the Edit right for Registrar: Domains.",
			Propose: proposeRenewal},
		Needs:    []snapshot.Named{snapshot.AccountRegistrations},
		Evaluate: evaluateRenewal,
	}
}

func evaluateRenewal(v *check.View) check.Outcome {
	var soon, later, tried, odd, renewable []string
	all := check.Read(v, snapshot.AccountRegistrations)
	for _, r := range all {
		name := r.Domain + " (" + check.Day(r.ExpiresAt) + ")"
		left := r.ExpiresAt.Sub(v.Now())
		if !slices.Contains([]string{"active", "suspended", "transfer_pending", "registration_pending"}, r.Status) {
			odd = append(odd, r.Domain) // unless the cases below find that it lapses
		}
		switch {
		case r.Status == "registration_pending": // not registered yet
		case slices.Contains([]string{"expired", "redemption_period", "pending_delete"}, r.Status):
			soon = append(soon, r.Domain+" ("+strings.ReplaceAll(r.Status, "_", " ")+")")
		case r.ExpiresAt.IsZero():
			odd = append(odd, r.Domain)
		case left <= 0:
			soon = append(soon, name)
		case r.AutoRenew != nil && *r.AutoRenew && left <= days(renewalTried):
			tried = append(tried, name)
		case r.AutoRenew != nil && *r.AutoRenew || left > days(v.Policy.DomainWarnDays):
		case r.AutoRenew == nil:
			odd = append(odd, r.Domain)
		case left <= days(v.Policy.DomainFailDays):
			soon = append(soon, name)
			if left > days(renewalTried) { // later than this, the switch alone does not renew it at once
				renewable = append(renewable, r.Domain)
			}
		default:
			later, renewable = append(later, name), append(renewable, r.Domain)
		}
	}
	call := posture.Call{}
	if len(renewable) == 1 && len(soon)+len(later) == 1 { // one request closes the finding
		call = posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/registrar/registrations/" + url.PathEscape(renewable[0]),
			Body: `{"auto_renew": true}`}
	}
	doubtful := domains{later, "expiring without automatic renewal", "renewed", posture.Words{
		Problem: "Domains of this account do not renew automatically", Call: call}}
	if len(tried) > 0 {
		doubtful = domains{slices.Concat(tried, later), "near the end, not renewed by the automatic renewal so far", "renewed", posture.Words{
			Problem: "Automatic renewal of domains in this account has not worked", ByHand: true,
			Impact: "The last attempt is made the day before the end; when that fails too, websites and mail stop, and the domain becomes free " +
				"for anyone.",
			Dashboard: "Manage Account › Billing › Payment methods: check the primary one; then Domain Registration › Manage Domains › " +
				"the domain › Manage › Renew."}}
		if len(later) > 0 {
			doubtful.trouble = "near the end, not renewed so far"
		}
	}
	return judgeDomains(v, len(all), domains{soon, "expired, or expiring soon without automatic renewal", "renewed",
		posture.Words{Call: call}}, doubtful, odd)
}

func renewalExamples() []goodtest.Example {
	undated := registration("a.example", true, true, 0)
	undated.ExpiresAt = snapshot.Time{}
	unsaid := func(left int) snapshot.Registration {
		r := registration("a.example", true, true, left)
		r.AutoRenew = nil
		return r
	}
	inState := func(status string, left int) snapshot.Registration {
		r := registration("a.example", true, true, left)
		r.Status = status
		return r
	}
	undatedIn := func(status string) snapshot.Registration {
		r := inState(status, 0)
		r.ExpiresAt = snapshot.Time{}
		return r
	}
	return []goodtest.Example{
		{Name: "renewed by itself", Want: posture.Pass, Resource: goodtest.Account, Edit: registered(registration("a.example", true, true, 26))},
		{Name: "the automatic renewal has not worked for days", Want: posture.Warning, Resource: goodtest.Account,
			Edit: registered(registration("a.example", true, true, 25))},
		{Name: "the automatic renewal has not worked, and another domain has none", Want: posture.Warning,
			Edit: registered(registration("a.example", true, true, 5), registration("b.example", true, false, 60))},
		{Name: "the automatic renewal has not worked, and another domain ends", Want: posture.Fail,
			Edit: registered(registration("a.example", true, true, 5), registration("b.example", true, false, 5))},
		{Name: "expired by its status", Want: posture.Fail, Edit: registered(inState("expired", 20))},
		{Name: "in the redemption period", Want: posture.Fail, Edit: registered(inState("redemption_period", 300))},
		{Name: "about to be deleted", Want: posture.Fail, Edit: registered(inState("pending_delete", -40))},
		{Name: "being registered, without an end", Want: posture.Pass,
			Edit: registered(undatedIn("registration_pending"), registration("b.example", true, true, 200))},
		{Name: "a status nobody knows", Want: posture.Unknown, Edit: registered(inState("parked", 200))},
		{Name: "a status nobody knows, and past the end", Want: posture.Fail, Edit: registered(inState("parked", -2))},
		{Name: "suspended, and far away", Want: posture.Pass, Edit: registered(inState("suspended", 200))},
		{Name: "being transferred, and far away", Want: posture.Pass, Edit: registered(inState("transfer_pending", 200))},
		{Name: "far away", Want: posture.Pass, Edit: registered(registration("a.example", true, false, 91))},
		{Name: "30 days", Want: posture.Fail, Resource: goodtest.Account, Edit: registered(registration("a.example", true, false, 30))},
		{Name: "lapsed in spite of renewal", Want: posture.Fail, Edit: registered(registration("a.example", true, true, -1))},
		{Name: "31 days", Want: posture.Warning, Resource: goodtest.Account, Edit: registered(registration("a.example", true, false, 31))},
		{Name: "90 days", Want: posture.Warning, Edit: registered(registration("a.example", true, false, 90))},
		{Name: "whether it renews is not told, and it is far away", Want: posture.Pass, Edit: registered(unsaid(91))},
		{Name: "whether it renews is not told, and it is near", Want: posture.Unknown, Edit: registered(unsaid(20))},
		{Name: "one of two lapses, and the other is not told", Want: posture.Fail, Edit: registered(unsaid(20),
			registration("b.example", true, false, 5))},
		{Name: "no date", Want: posture.Unknown, Edit: registered(undated)},
		{Name: "none is registered here", Want: posture.NotApplicable, Edit: registered()},
	}
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// domains are the domains with one kind of problem.
type domains struct {
	names    []string
	trouble  string // follows a count such as "2 domains"
	expected string
	words    posture.Words
}

func judgeDomains(v *check.View, all int, bad, doubtful domains, odd []string) check.Outcome {
	seen := func(d domains) posture.Evidence {
		return check.Evidence(snapshot.AccountRegistrations, "/", strings.Join(d.names, ", "), d.expected)
	}
	said := func(d domains) string {
		return check.Count(len(d.names), "domain", "") + " " + d.trouble + ": " + strings.Join(d.names, ", ") + "."
	}
	switch {
	case all == 0:
		return v.NotApplicable("no domain is registered with Cloudflare Registrar")
	case len(bad.names) > 0:
		return v.Fail(said(bad), seen(bad)).As(bad.words)
	case len(doubtful.names) > 0:
		return v.Warn(said(doubtful), seen(doubtful)).As(doubtful.words)
	case len(odd) > 0:
		return v.Unknown("Cloudflare did not return enough about " + strings.Join(slices.Compact(odd), ", "))
	}
	return v.Pass("%s registered with Cloudflare Registrar, without a problem.", check.Count(all, "domain", ""))
}

// proposeRenewal turns on automatic renewal for every domain that would lapse. A domain that has
// already lapsed must be restored manually, if that is still possible.
func proposeRenewal(c *propose.Case) ([]change.Edit, error) {
	collection := c.Path("/accounts/{account_id}/registrar/registrations")
	all, err := c.List(collection)
	if err != nil {
		return nil, err
	}
	var out []change.Edit
	lapsed, failing := 0, 0
	for _, live := range all {
		ends := propose.Moment(live, "expires_at")
		switch left := ends.Sub(c.Now); {
		case ends.IsZero():
		case left <= 0:
			lapsed++
		case left <= days(renewalTried) && live["auto_renew"] == true:
			failing++
		case left <= days(c.Policy.DomainWarnDays) && live["auto_renew"] == false:
			place := change.Place{Path: collection + "/" + url.PathEscape(propose.Text(live, "domain_name"))}
			e := propose.Patch("PATCH", place, place.Path, live, map[string]any{"auto_renew": true})
			e.Label = propose.Text(live, "domain_name")
			out = append(out, e)
		}
	}
	switch {
	case len(out) == 0 && lapsed > 0:
		return nil, propose.Refuse("A domain lapsed already; renew it at the registrar before somebody else buys it.")
	case len(out) == 0 && failing > 0:
		return nil, propose.Refuse("Automatic renewal is on and has not worked so far; check the payment method, or renew the domain by hand.")
	}
	return out, nil
}
