package token

import (
	_ "embed" // the list of permission groups
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Powers of permission groups that their names do not show; groups.tsv describes them.
const (
	powerWrites  = "writes"
	powerMints   = "mints"
	powerZones   = "zones"
	powerAccount = "account"
)

//go:embed groups.tsv
var groupLines string

// powers returns the listed powers of a group, by its full name or without the suffix that means
// write access.
func powers(group string) []string {
	group = strings.ToLower(strings.TrimSpace(group))
	names := []string{group}
	if rest, cut := cutWriting(group); cut {
		names = append(names, rest)
	}
	var out []string
	for _, n := range names {
		if n == "" || strings.ContainsAny(n, "#\n\t") {
			continue
		}
		if _, rest, there := strings.Cut(groupLines, "\n"+n+"\t"); there {
			line, _, _ := strings.Cut(rest, "\n")
			out = append(out, strings.Fields(line)...)
		}
	}
	return out
}

// cutWriting removes the suffix that means write access from the name of a group.
func cutWriting(group string) (rest string, cut bool) {
	for _, end := range []string{" write", " edit", " admin", " revoke"} {
		if rest, cut := strings.CutSuffix(group, end); cut {
			return rest, true
		}
	}
	return group, false
}

// groupWrites reports whether a permission group has write access.
func groupWrites(group string) bool {
	_, says := cutWriting(strings.ToLower(strings.TrimSpace(group)))
	return says || slices.Contains(powers(group), powerWrites)
}

// can reports whether a group has write access and one of the powers.
func can(group string, wanted ...string) bool {
	return groupWrites(group) && slices.ContainsFunc(powers(group), func(p string) bool { return slices.Contains(wanted, p) })
}

// writes returns the groups of a grant that have write access.
func writes(p snapshot.TokenPolicy) []string {
	if p.Effect == "deny" {
		return nil
	}
	var out []string
	for _, g := range p.Groups {
		if groupWrites(g) {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mayWrite reports whether a token has a group with write access.
func mayWrite(t snapshot.Token) bool {
	return slices.ContainsFunc(t.Policies, func(p snapshot.TokenPolicy) bool { return len(writes(p)) > 0 })
}

// nameless reports whether a token has a group without a known name. No token is without a policy, nor
// a policy without a group: one that has none was not returned whole.
func nameless(t snapshot.Token) bool {
	return len(t.Policies) == 0 || slices.ContainsFunc(t.Policies, func(p snapshot.TokenPolicy) bool {
		return p.Effect != "deny" && (len(p.Groups) == 0 ||
			slices.ContainsFunc(p.Groups, func(g string) bool { return strings.TrimSpace(g) == "" }))
	})
}

const noName = "Cloudflare did not name every permission group of the token, so nobody knows what it may do"

// span is what a token may write beyond individual zones: everywhere, and in its one account.
type span struct {
	everywhere, account []string
	key                 string // a key that reaches everywhere, otherwise that of the account
}

// spanOf adds up the policies of a token, because permissions split over several policies are
// equivalent. An account key stands for the whole account unless zone keys narrow the policy.
func spanOf(t snapshot.Token) span {
	var s span
	for _, p := range t.Policies {
		may := writes(p)
		if len(may) == 0 {
			continue
		}
		if key := wildcard(p); key != "" {
			s.everywhere, s.key = append(s.everywhere, may...), key
		} else if key := accountWide(p); key != "" {
			s.account = append(s.account, may...)
			if len(s.everywhere) == 0 {
				s.key = key
			}
		}
	}
	slices.Sort(s.everywhere)
	slices.Sort(s.account)
	s.everywhere, s.account = slices.Compact(s.everywhere), slices.Compact(s.account)
	return s
}

// all lists the groups of both kinds.
func (s span) all() []string {
	out := slices.Concat(s.everywhere, s.account)
	slices.Sort(out)
	return slices.Compact(out)
}

// takes lists the groups that allow taking over zones, or everything in the accounts.
func (s span) takes() []string {
	var out []string
	for _, g := range s.all() {
		if can(g, powerZones) || can(g, powerAccount) && slices.Contains(s.everywhere, g) {
			out = append(out, g)
		}
	}
	return out
}

const (
	accountKey  = "com.cloudflare.api.account."
	zoneKey     = "com.cloudflare.api.account.zone."
	everyOne    = accountKey + "*"
	everyDomain = zoneKey + "*"
)

// wildcard returns the key of a policy that reaches every account or every zone.
func wildcard(p snapshot.TokenPolicy) string {
	i := slices.IndexFunc(p.Resources, func(key string) bool { return key == everyOne || key == everyDomain })
	if i < 0 {
		return ""
	}
	return p.Resources[i]
}

// accountWide returns the key of a policy that applies to one whole account.
func accountWide(p snapshot.TokenPolicy) string {
	zone := func(key string) bool { return strings.HasPrefix(key, zoneKey) }
	i := slices.IndexFunc(p.Resources, func(key string) bool { return strings.HasPrefix(key, accountKey) && !zone(key) })
	if i < 0 || slices.ContainsFunc(p.Resources, zone) {
		return ""
	}
	return p.Resources[i]
}
