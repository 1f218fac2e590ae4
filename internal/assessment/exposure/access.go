package exposure

import (
	_ "embed" // the list of mail domains
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Groups resolves Access groups by id.
type Groups map[string]snapshot.AccessGroup

// IndexGroups indexes groups by id.
func IndexGroups(all []snapshot.AccessGroup) Groups {
	out := Groups{}
	for _, g := range all {
		out[g.ID] = g
	}
	return out
}

// Any reports whether a rule of the list, or of a group it names, satisfies is. A missing group
// makes the answer undecided. whole decides whether a group may be judged by its include rules
// alone.
func (gs Groups) Any(rules []snapshot.AccessRule, is func(snapshot.AccessRule) bool, whole func(snapshot.AccessGroup) bool) truth.Value {
	return gs.walk(rules, is, whole, map[string]bool{})
}

func (gs Groups) walk(rules []snapshot.AccessRule, is func(snapshot.AccessRule) bool, whole func(snapshot.AccessGroup) bool,
	seen map[string]bool) truth.Value {
	out := truth.No
	for _, r := range rules {
		if r.Kind != "group" {
			out = truth.Or(out, truth.Is(is(r)))
			continue
		}
		if seen[r.Value] {
			continue
		}
		seen[r.Value] = true
		g, ok := gs[r.Value]
		switch {
		case !ok:
			out = truth.Or(out, truth.Undecided)
		case whole(g):
			out = truth.Or(out, gs.walk(g.Include, is, whole, seen))
		}
	}
	return out
}

// Attached returns the policies of an application. The list of applications may name a reusable
// policy without its rules, which are then taken from the list of policies.
func Attached(a snapshot.AccessApp, reusable map[string]snapshot.AccessPolicy) []snapshot.AccessPolicy {
	out := slices.Clone(a.Policies)
	for i, p := range out {
		if full, ok := reusable[p.ID]; ok && len(p.Include) == 0 {
			out[i] = full
		}
	}
	return out
}

// IndexPolicies indexes policies by id.
func IndexPolicies(all []snapshot.AccessPolicy) map[string]snapshot.AccessPolicy {
	out := map[string]snapshot.AccessPolicy{}
	for _, p := range all {
		out[p.ID] = p
	}
	return out
}

// AsksMFA reports whether Access itself requires a second factor: the setting of the policy
// overrides that of the application, which overrides that of the organisation.
func AsksMFA(p snapshot.AccessPolicy, a snapshot.AccessApp, org bool) bool {
	switch {
	case p.MFA != nil:
		return !p.MFA.Disabled
	case a.MFA != nil:
		return !a.MFA.Disabled
	default:
		return org
	}
}

// SecondFactor reports whether a rule requires more than a login; methods are those of RFC 8176
// that involve more than knowledge of a secret.
func SecondFactor(r snapshot.AccessRule) bool {
	switch r.Kind {
	case "device_posture", "certificate", "common_name":
		return true
	case "auth_method":
		return slices.Contains([]string{"mfa", "mca", "otp", "sms", "tel", "hwk", "swk", "sc", "fpt", "face", "iris", "retina", "vbm"}, r.Value)
	default:
		return false
	}
}

// NoLogin reports whether a policy admits visitors without a login: Bypass and Service Auth, which
// are evaluated before Allow and Block
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/).
func NoLogin(p snapshot.AccessPolicy) bool {
	return p.Decision == "bypass" || p.Decision == "non_identity"
}

// PublicMail reports whether a rule admits a mail domain where anyone can open a mailbox.
func PublicMail(r snapshot.AccessRule) bool {
	domain := strings.ToLower(strings.TrimSuffix(r.Value, "."))
	return r.Kind == "email_domain" && !strings.ContainsAny(domain, "\n#") && hasLine(mailDomains, domain)
}

// hasLine does a binary search for a line in sorted text.
func hasLine(sorted, line string) bool {
	for sorted != "" {
		from := strings.LastIndexByte(sorted[:len(sorted)/2], '\n') + 1
		middle, rest, _ := strings.Cut(sorted[from:], "\n")
		switch strings.Compare(line, middle) {
		case 0:
			return line != ""
		case -1:
			sorted = sorted[:from]
		default:
			sorted = rest
		}
	}
	return false
}

// mailDomains are the domains of public mail providers, sorted bytewise; the file names its source.
//
//go:embed mail_domains.txt
var mailDomains string
