package attackpath_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// people is a random account with what opens it to whoever has a password, a token or a device.
type people struct {
	enforced, untold bool
	signOn           []string // mail domains with a connector in force
	members          []snapshot.Member
	grouped          []string // members in a group with every right
	tokens           map[string][]snapshot.Token
	enrol            []snapshot.AccessPolicy // nil: there is no application for enrolment
	logins           []string
	rules            []netRule
	routes           []snapshot.PrivateRoute
	held             []snapshot.AccessDestination
	denied           []string
}

// netRule is a rule of Gateway about connections.
type netRule struct {
	action, filter, within string
	port                   int // 0: all
	off, people            bool
}

func newPeople(seed uint64) *people {
	r := rand.New(rand.NewPCG(seed, 6))
	a := &people{enforced: r.IntN(3) == 0, untold: r.IntN(8) == 0, tokens: map[string][]snapshot.Token{}}
	domain := func() string { return any1(r, "shop.example", "agency.example") }
	if r.IntN(3) == 0 {
		a.signOn = []string{domain()}
	}
	for n := range r.IntN(4) {
		m := snapshot.Member{ID: fmt.Sprint("m", n), EmailDomain: domain(), Status: any1(r, "accepted", "accepted", "pending", "rejected", ""),
			HasUser: r.IntN(8) > 0, TwoFactor: r.IntN(2) == 0, Roles: []string{any1(r, "Administrator", "DNS", "Zaraz Edit",
				"Administrator Read Only", "Analytics", snapshot.RoleUntold)}}
		m.Email = m.ID + "@" + m.EmailDomain
		m.FactorUntold = !m.TwoFactor && r.IntN(8) == 0
		if r.IntN(5) == 0 {
			a.grouped = append(a.grouped, m.ID)
		}
		a.members = append(a.members, m)
	}
	for n := range r.IntN(4) {
		t := snapshot.Token{ID: fmt.Sprint("t", n), Name: fmt.Sprint("t", n), Status: any1(r, "active", "active", "active", "disabled", ""),
			SourceIPs: any1(r, nil, nil, []string{"0.0.0.0/0"}, []string{"8.8.8.8"}, []string{"0.0.0.0/1", "128.0.0.0/1"}, []string{"45.0.0.0/8"})}
		for range 1 + r.IntN(2) {
			t.Policies = append(t.Policies, snapshot.TokenPolicy{Effect: any1(r, "allow", "allow", "allow", "deny"),
				Groups: any1(r, []string{"API Tokens Write"}, []string{"DNS Write", "DNS Read"}, []string{"DNS Read"},
					[]string{"Workers Scripts Write"}, []string{"A Write", "B Write", "C Edit"}, []string{"D Write", "E Write", "F Edit"}),
				Resources: any1(r, []string{reachAccount}, []string{reachAccount + "*"}, []string{reachZone + "1a"}, []string{reachZone + "*"},
					[]string{reachAccount + goodtest.Account}, []string{reachAccount + goodtest.Account, reachZone + "1a"})})
		}
		owner := any1(r, snapshot.AccountTokens.Source(), snapshot.UserTokens.Source())
		a.tokens[owner] = append(a.tokens[owner], t)
	}
	a.network(r)
	if r.IntN(4) == 0 {
		a.denied = []string{any1[snapshot.Named](r, snapshot.AccountMembers, snapshot.AccountSSOConnectors, snapshot.AccountTokens,
			snapshot.UserTokens, snapshot.GatewayRules, snapshot.PrivateRoutes, snapshot.Tunnels, snapshot.AccessApps, snapshot.AccessPolicies,
			snapshot.AccountList).Source()}
	}
	return a
}

const reachAccount, reachZone = "com.cloudflare.api.account.", "com.cloudflare.api.account.zone."

// network adds private networks, what blocks them, and who may enrol a device.
func (a *people) network(r *rand.Rand) {
	allow := func(kind, value string) snapshot.AccessPolicy {
		return snapshot.AccessPolicy{Decision: "allow", Include: []snapshot.AccessRule{{Kind: kind, Value: value}}}
	}
	a.logins = any1(r, []string{"azureAD"}, []string{"azureAD", "onetimepin"}, []string{"onetimepin"})
	if r.IntN(6) > 0 {
		a.enrol = []snapshot.AccessPolicy{}
	}
	for range r.IntN(3) {
		p := any1(r, allow("email_domain", "shop.example"), allow("everyone", ""), allow("email_domain", "gmail.com"), allow("geo", "DE"))
		switch r.IntN(6) {
		case 0:
			p.Require = []snapshot.AccessRule{{Kind: "ip", Value: "198.51.100.7/32"}}
		case 1:
			p.Require = []snapshot.AccessRule{{Kind: "certificate"}}
		case 2:
			p.Decision = "deny"
		}
		if p.ID = fmt.Sprint("e", len(a.enrol)); a.enrol != nil {
			p.Name, a.enrol = p.ID, append(a.enrol, p)
		}
	}
	ranges := []string{"10.1.0.0/16", "10.2.0.0/16", "10.1.0.0/17", "10.1.128.0/17", "10.0.0.0/8", "10.1.5.5/32", "10.1.0.0/24", ""}
	for n := range r.IntN(3) {
		a.routes = append(a.routes, snapshot.PrivateRoute{ID: fmt.Sprint("r", n), Network: any1(r, "10.1.0.0/16", "10.2.0.0/16", "10.1.5.5/32"),
			TunnelID: any1(r, tunnelA, tunnelA, tunnelB, "0c000000-0000-4000-8000-00000000dead"), TunnelType: "cfd_tunnel"})
	}
	for range r.IntN(4) {
		a.rules = append(a.rules, netRule{action: any1(r, "block", "block", "allow"), filter: any1(r, "l4", "l4", "l4", "dns"),
			within: any1(r, ranges...), port: any1(r, 0, 0, 0, 22), off: r.IntN(6) == 0, people: r.IntN(6) == 0})
	}
	for range max(0, r.IntN(4)-1) {
		a.held = append(a.held, snapshot.AccessDestination{Type: "private", Value: any1(r, ranges[:7]...), Ports: any1(r, "", "", "443")})
	}
}

// read reports whether nothing of it was refused.
func (a *people) read(all ...snapshot.Named) bool {
	return !slices.ContainsFunc(all, func(k snapshot.Named) bool { return slices.Contains(a.denied, k.Source()) })
}

// ways lists what whoever has a password, a token or a device does with it.
func (a *people) ways() (out []string) {
	id := "account:" + goodtest.Account
	if who := a.password(); who != "" {
		out = append(out, "password-alone:"+id+" high "+who)
	}
	if a.read(snapshot.AccountTokens, snapshot.UserTokens) {
		for _, t := range slices.Concat(a.tokens[snapshot.AccountTokens.Source()], a.tokens[snapshot.UserTokens.Source()]) {
			if does := stolen(t); does != "" {
				out = append(out, "stolen-token:"+id+":token:"+t.ID+" high "+does)
			}
		}
	}
	if a.enrol == nil || !a.read(snapshot.GatewayRules, snapshot.PrivateRoutes, snapshot.Tunnels, snapshot.AccessApps,
		snapshot.AccessPolicies) {
		return out
	}
	for _, r := range a.routes {
		if r.TunnelID != tunnelA { // the other one was never connected, or is another account's
			continue
		}
		at := ":access_app:" + goodtest.Enrolment + ":origin:" + r.Network
		all, some := a.reaches(netip.MustParsePrefix(r.Network))
		if way := "open-enrolment" + at + " critical"; some && a.anyoneEnrols() && !slices.Contains(out, way) {
			out = append(out, way)
		}
		if way := "open-network" + at + " high"; all && !slices.Contains(out, way) {
			out = append(out, way)
		}
	}
	return out
}

// password tells what the worst member may do who needs a password only, "" when there is none.
func (a *people) password() string {
	if a.enforced || a.untold || !a.read(snapshot.AccountMembers, snapshot.AccountSSOConnectors, snapshot.AccountList) {
		return ""
	}
	may := ""
	for _, m := range a.members {
		if m.Status != "accepted" || !m.HasUser || m.TwoFactor || m.FactorUntold || slices.Contains(a.signOn, m.EmailDomain) {
			continue
		}
		switch {
		case m.Roles[0] == "Administrator" || slices.Contains(a.grouped, m.ID):
			return "takes over"
		case m.Roles[0] == "DNS" || m.Roles[0] == "Zaraz Edit":
			may = "changes"
		}
	}
	return may
}

// stolen tells what a copy of a token does from anywhere, "" for nothing grave.
func stolen(t snapshot.Token) string {
	anywhere := len(t.SourceIPs) == 0 || strings.HasPrefix(t.SourceIPs[0], "0.0.0.0/")
	if t.Status != "active" || !anywhere {
		return ""
	}
	var wide []string // rights on an account or on every zone
	takes := false
	for _, p := range t.Policies {
		for _, g := range p.Groups {
			if p.Effect == "deny" || strings.HasSuffix(g, " Read") {
				continue
			}
			if g == "API Tokens Write" {
				return "takes over"
			}
			every := strings.HasSuffix(p.Resources[0], "*")
			whole := every || len(p.Resources) == 1 && !strings.HasPrefix(p.Resources[0], reachZone)
			takes = takes || whole && g == "DNS Write" || every && g == "Workers Scripts Write"
			if whole && !slices.Contains(wide, g) {
				wide = append(wide, g)
			}
		}
	}
	if takes || len(wide) > 5 {
		return "writes"
	}
	return ""
}

// anyoneEnrols reports whether somebody without a tie to the company may add a device.
func (a *people) anyoneEnrols() bool {
	blocked := map[string]bool{}
	for _, p := range a.enrol {
		kind, mail := p.Include[0].Kind, p.Include[0].Value
		named := kind == "email_domain" && mail == "shop.example" || len(p.Require) > 0
		switch {
		case p.Decision == "deny" && len(p.Require) == 0:
			blocked[kind+mail] = true
		case p.Decision == "allow" && !named && !blocked["everyone"] && !blocked[kind+mail] && slices.Contains(a.logins, "onetimepin"):
			return true
		}
	}
	return false
}

// reaches reports whether any enrolled device reaches every machine of a network, and whether it reaches
// at least a sixteenth of it: allowing a few machines or ports before a block is what the rules are for.
func (a *people) reaches(p netip.Prefix) (all, some bool) {
	all = true
	for i := range 16 {
		part := p
		if !p.IsSingleIP() {
			octets := p.Addr().As4()
			octets[2] = byte(16 * i)
			part = netip.PrefixFrom(netip.AddrFrom4(octets), 20)
		}
		open := true
		for _, r := range a.rules {
			within, err := netip.ParsePrefix(cmp.Or(r.within, "0.0.0.0/0"))
			if err != nil || r.off || r.filter != "l4" || !within.Overlaps(part) {
				continue
			}
			if r.within == "" && r.port > 0 {
				continue // it is not about private networks
			}
			whole := within.Bits() <= part.Bits() && r.port == 0 && !r.people
			if r.action == "allow" && whole {
				break
			}
			if r.action == "block" {
				all, open = false, open && !whole
				if whole {
					break
				}
			}
		}
		for _, d := range a.held {
			if q := netip.MustParsePrefix(d.Value); q.Overlaps(part) {
				all, open = false, open && !(q.Bits() <= part.Bits() && d.Ports == "")
			}
		}
		some = some || open
	}
	return all && some, some
}

func (a *people) builder() *snapshot.Builder {
	b := goodtest.Snapshot()
	var connectors []snapshot.SSOConnector
	for _, d := range a.signOn {
		connectors = append(connectors, snapshot.SSOConnector{ID: d, EmailDomain: d, Enabled: true, Verification: "verified"})
	}
	snapshot.Put(b, snapshot.AccountSSOConnectors, goodtest.Account, connectors)
	snapshot.Put(b, snapshot.AccountMembers, goodtest.Account, a.members)
	snapshot.Edit(b, snapshot.AccountList, goodtest.Account, func(all *[]snapshot.Account) {
		(*all)[0].EnforceTwoFactor, (*all)[0].TwoFactorUntold = a.enforced, a.untold && !a.enforced
	})
	snapshot.Put(b, snapshot.AccountUserGroups, goodtest.Account, []snapshot.UserGroup{{ID: "g", Name: "g", Roles: []string{"Administrator"}}})
	var grouped []snapshot.GroupMember
	for _, id := range a.grouped {
		grouped = append(grouped, snapshot.GroupMember{ID: id})
	}
	snapshot.Put(b, snapshot.UserGroupMembers, "g", grouped)
	snapshot.Put(b, snapshot.AccountTokens, goodtest.Account, a.tokens[snapshot.AccountTokens.Source()])
	snapshot.Put(b, snapshot.UserTokens, snapshot.UserScope, a.tokens[snapshot.UserTokens.Source()])
	snapshot.Put(b, snapshot.Tunnels, goodtest.Account, []snapshot.Tunnel{{ID: tunnelA, Name: "a", Status: "down"},
		{ID: tunnelB, Name: "b", Status: "inactive"}})
	snapshot.Put(b, snapshot.TunnelConfig, tunnelB, snapshot.TunnelSettings{})
	snapshot.Put(b, snapshot.PrivateRoutes, goodtest.Account, a.routes)
	var rules []snapshot.GatewayRule
	for n, r := range a.rules {
		g := snapshot.GatewayRule{ID: fmt.Sprint("n", n), Name: "n", Enabled: !r.off, Filters: []string{r.filter}, Action: r.action,
			Precedence: float64(n)}
		var tests []string
		if r.within != "" {
			tests = append(tests, "net.dst.ip in {"+r.within+"}")
		}
		if r.port > 0 {
			tests = append(tests, fmt.Sprint("net.dst.port == ", r.port))
		}
		if g.Traffic = strings.Join(tests, " and "); r.people {
			g.Identity = `identity.email == "a@shop.example"`
		}
		rules = append(rules, g)
	}
	snapshot.Put(b, snapshot.GatewayRules, goodtest.Account, rules)
	snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(apps *[]snapshot.AccessApp) {
		enrolment := (*apps)[1]
		*apps = (*apps)[:1]
		if enrolment.Policies = a.enrol; a.enrol != nil {
			*apps = append(*apps, enrolment)
		}
		*apps = append(*apps, snapshot.AccessApp{ID: "held", Name: "held", Type: "self_hosted", Elsewhere: a.held,
			Policies: (*apps)[0].Policies[:1]})
	})
	goodtest.Logins(a.logins...)(b)
	for _, source := range a.denied {
		b.Mark(source, snapshot.Denied, "Some Read", "")
	}
	return b
}

func pathsOf(t *testing.T, b *snapshot.Builder) []posture.AttackPath {
	snap, err := b.Build()
	require.NoError(t, err)
	findings := check.Run(snap, checks.All(), policy.Default()).Findings
	g, nodeOf := graph.Build(snap, findings)
	return attackpath.Find(g, snap, findings, nodeOf)
}

// change makes one of the changes that are said to break a path, and no other.
func (a *people) change(p posture.AttackPath, which int) {
	token := p.ID[strings.LastIndex(p.ID, ":")+1:]
	network := strings.TrimPrefix(p.TargetNodeID, "origin:")
	ofToken := func(change func(*snapshot.Token)) {
		for _, of := range a.tokens {
			for i := range of {
				if of[i].ID == token {
					change(&of[i])
				}
			}
		}
	}
	switch [2]any{p.Kind, which} {
	case [2]any{"password-alone", 0}: // all set up a second factor
		for i := range a.members {
			a.members[i].TwoFactor = true
		}
	case [2]any{"password-alone", 1}: // all sign in through a provider
		a.signOn = []string{"shop.example", "agency.example"}
	case [2]any{"stolen-token", 0}: // bound to an address
		ofToken(func(t *snapshot.Token) { t.SourceIPs = []string{"8.8.8.8"} })
	case [2]any{"stolen-token", 1}: // a named zone and a single task
		ofToken(func(t *snapshot.Token) {
			t.Policies = []snapshot.TokenPolicy{{Effect: "allow", Groups: []string{"DNS Write"}, Resources: []string{reachZone + "1a"}}}
		})
	case [2]any{"open-enrolment", 0}: // own domains only
		for i := range a.enrol {
			a.enrol[i].Include = []snapshot.AccessRule{{Kind: "email_domain", Value: "shop.example"}}
		}
	case [2]any{"open-network", 0}: // what is needed, and a last block
		a.rules = slices.DeleteFunc(a.rules, func(r netRule) bool { return r.action == "allow" })
		a.rules = append(a.rules, netRule{action: "block", filter: "l4", within: network})
	}
}

var ofPeople = []string{"password-alone", "stolen-token", "open-enrolment", "open-network"}

func (a *people) paths(t *testing.T) []posture.AttackPath {
	return slices.DeleteFunc(pathsOf(t, a.builder()), func(p posture.AttackPath) bool { return !slices.Contains(ofPeople, p.Kind) })
}

// TestSweepPathsOfPeopleAgreeWithALiteralReading does the same for passwords, API tokens and devices.
func TestSweepPathsOfPeopleAgreeWithALiteralReading(t *testing.T) {
	t.Parallel()
	accounts, ways := sized(3000, 150), 0
	for seed := range accounts {
		a, got := newPeople(seed), []string{}
		for _, p := range a.paths(t) {
			way := strings.TrimPrefix(p.ID, "ap:") + " " + string(p.Severity)
			for _, does := range []string{" takes over", " writes", " changes"} {
				if strings.Contains(p.Title+p.SeverityReason, does) {
					way += does
					break
				}
			}
			got = append(got, way)
		}
		require.ElementsMatch(t, a.ways(), got, "account %d: %+v", seed, a)
		ways += len(got)
	}
	t.Logf("%d ways in %d accounts", ways, accounts)
}

// TestSweepBreaksOfPeopleLeaveNoWay makes each change that is said to break a path by itself, then those of the least set together.
func TestSweepBreaksOfPeopleLeaveNoWay(t *testing.T) {
	t.Parallel()
	accounts := sized(400, 20)
	for seed := range accounts {
		breaksHold(t, func() random { return newPeople(seed) })
	}
}
