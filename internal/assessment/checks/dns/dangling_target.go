package dns

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// questionsOf lists the look-ups for a record that points outside the account. Nobody can choose the name
// of a bucket at r2.dev, to which Cloudflare itself points the custom domains of buckets. A delegation is
// queried by its own name: its servers may exist but not answer for it. Further questions depend on
// the first answer: for a name that does not exist, whether its domain does; for a name at an
// unknown platform, whether every name there answers.
func questionsOf(own exposure.Domains, r snapshot.DNSRecord) []snapshot.Question {
	target := targetOf(r.Type, r.Content)
	apart := slices.ContainsFunc([]string{"pages.dev", "cfargotunnel.com", "r2.dev"},
		func(d string) bool { return exposure.Within(target, d) })
	if target == "" || apart || own.Hold(target) {
		return nil
	}
	out := []snapshot.Question{{Type: "A", Name: target}}
	if r.Type == "NS" {
		out = append(out, snapshot.Question{Type: "SOA", Name: canonical(r.Name)})
	}
	return out
}

// targetOf returns the name that a record leads to, "" when there is none. In HTTPS and SVCB records
// parameters follow it (RFC 9460).
func targetOf(kind, content string) string {
	switch words := strings.Fields(content); {
	case slices.Contains([]string{"CNAME", "MX", "NS", "SRV"}, kind):
		return canonical(lastWord(content))
	case (kind == "HTTPS" || kind == "SVCB") && len(words) > 1:
		return canonical(words[1])
	}
	return ""
}

// furtherQuestions lists the questions that follow from the first answer.
func furtherQuestions(v *check.View, r snapshot.DNSRecord, target string) []snapshot.Question {
	l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, snapshot.LookupScope("A", target))
	var out []snapshot.Question
	switch {
	case !ok:
	case l.Missing():
		if domain, can := exposure.Registrable(ending(target, l)); can {
			out = append(out, snapshot.Question{Type: "NS", Name: domain})
		}
	case l.Rcode == "NOERROR" && web(r):
		_, known := check.PlatformOf(v, target)
		if suffix, shared := exposure.SharedSuffix(target); shared && !known {
			out = append(out, snapshot.Question{Type: "A", Name: "*." + suffix})
		}
		if len(l.Answers) == 0 {
			out = append(out, snapshot.Question{Type: "AAAA", Name: target})
		}
	}
	return out
}

// ending returns the name at which a look-up ended: the last alias, or the name itself.
func ending(target string, l snapshot.Lookup) string {
	if n := len(l.Chain); n > 0 {
		return canonical(l.Chain[n-1])
	}
	return target
}

// web reports whether clients of a hostname follow the record to its target.
func web(r snapshot.DNSRecord) bool {
	return slices.Contains([]string{"CNAME", "SRV", "HTTPS", "SVCB"}, r.Type) && !exposure.Attribute(r.Name)
}

func judgeTarget(v *check.View, j *check.Judgement, r snapshot.DNSRecord, questions []snapshot.Question) {
	res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
	target := questions[0].Name
	state, end, unknown := "", target, snapshot.Question{}
	for i, q := range questions {
		l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, q.Scope())
		switch {
		case !ok:
			unknown = q
		case l.Missing():
			state = "does not exist"
			if i == 0 {
				end = ending(target, l)
			}
		case i > 0 && l.Rcode != "NOERROR":
			state = "does not answer for " + q.Name
		case l.Rcode == "SERVFAIL" && state == "":
			state = "could not be resolved twice"
		}
		if state != "" {
			break
		}
	}
	switch {
	case state != "":
		judgeGone(v, j, r, target, end, state)
	case unknown.Name != "":
		j.Unread(res, snapshot.DNSLookup, unknown.Scope())
	default:
		judgeThere(v, j, r, target)
	}
}

// judgeGone judges a target that does not answer: whoever can claim its name, or register its
// domain, controls the answers.
func judgeGone(v *check.View, j *check.Judgement, r snapshot.DNSRecord, target, end, state string) {
	res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
	seen := check.Evidence(snapshot.DNSLookup, "/"+target, target+" "+state, "a target that exists")
	points := "The " + r.Type + " record " + r.Name + " points to " + target + ", which " + state
	if end != target {
		points = "The " + r.Type + " record " + r.Name + " points to " + target + ", which leads to " + end + "; that " + state
	}
	p, known := check.PlatformOf(v, end)
	if r.Type == "NS" {
		p, known = exposure.NameServersOf(end)
	}
	if domain, can := exposure.Registrable(end); can && state == "does not exist" {
		switch l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, snapshot.LookupScope("NS", domain)); {
		case ok && l.Missing():
			j.Fail(res, points+". Nobody owns the domain "+domain+", so anyone can register it and answer for "+r.Name+".", seen,
				check.Evidence(snapshot.DNSLookup, "/"+domain, domain+" does not exist", "a registered domain"))
			j.As(asDelegation(r, posture.Words{Problem: "{name} points to a domain that anyone can register", Impact: forMail(r,
				"Anyone can register the domain and receive the mail of {name}, password resets included.",
				"Anyone can register the domain, answer as {name}, get a certificate for it and read cookies of the domain.")}))
			return
		case !ok && !(known && p.Free):
			j.Warn(res, points+". Whether its domain "+domain+" is registered was not read.", seen)
			j.As(asDelegation(r, goneWords(r))).Provisional()
			return
		}
	}
	if known && p.Free && state != "could not be resolved twice" {
		j.Fail(res, points+". Anyone can claim it at "+p.Name+" (high confidence, "+p.Source+").", seen)
		j.As(asDelegation(r, posture.Words{Impact: forMail(r, "Anyone with an account at the platform can claim the name and receive the "+
			"mail of {name}, password resets included.", "")}))
		return
	}
	j.Warn(res, points+".", seen)
	if state == "does not exist" {
		j.As(asDelegation(r, goneWords(r)))
		return
	}
	j.As(posture.Words{Problem: "{name} points to a target that does not answer", ByHand: true,
		Impact:    "Visitors of {name} get an error, and whoever takes over the name servers of the target answers for it.",
		Breaks:    "Deleting the record takes {name} offline when the target is only down for a while.",
		Dashboard: "DNS › Records › {name} › Edit: change the target, or delete the record once it is clear that the target is gone."})
}

// goneWords returns the words for a missing target that nobody is known to be able to claim.
func goneWords(r snapshot.DNSRecord) posture.Words {
	return posture.Words{Problem: "{name} points to a target that does not exist", Impact: forMail(r,
		"Mail for {name} is not delivered to this host, and whoever gets its name later receives it.",
		"Visitors of {name} get an error, and whoever gets the name of the target later answers for it.")}
}

func forMail(r snapshot.DNSRecord, mail, other string) string {
	if r.Type == "MX" {
		return mail
	}
	return other
}

// asDelegation leaves NS records to people: names below them may answer although the target does
// not.
func asDelegation(r snapshot.DNSRecord, w posture.Words) posture.Words {
	if r.Type == "NS" {
		w.ByHand = true
		w.Breaks = "Names below {name} stop answering when another name server of the delegation still serves them."
	}
	return w
}

// judgeThere judges a target that answers. That proves nothing where every name answers, or where
// the addresses behind a name change owners.
func judgeThere(v *check.View, j *check.Judgement, r snapshot.DNSRecord, target string) {
	res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
	if !web(r) || listed(v.Policy.TrustedTargets, target) {
		j.Pass()
		return
	}
	p, known := check.PlatformOf(v, target)
	l, _ := check.ReadOptionalAt(v, snapshot.DNSLookup, snapshot.LookupScope("A", target))
	six, read := check.ReadOptionalAt(v, snapshot.DNSLookup, snapshot.LookupScope("AAAA", target))
	released := nowhere(l.Answers) || len(l.Answers) == 0 && read && (nowhere(six.Answers) || known && len(six.Answers) == 0)
	ask := "; look at " + p.Name + " whether it is yours, then name it in trustedTargets"
	suffix, shared := exposure.SharedSuffix(target)
	probe := snapshot.Question{Type: "A", Name: "*." + suffix}
	every, probed := check.ReadOptionalAt(v, snapshot.DNSLookup, probe.Scope())
	switch {
	case released:
		j.Warn(res, "The "+r.Type+" record "+r.Name+" points to "+target+", which no longer has a public address: what it led to was released.",
			check.Evidence(snapshot.DNSLookup, "/"+target, target+" has no public address", "a target that answers"))
		j.As(posture.Words{Problem: "{name} points to a service that was released",
			Impact: "Visitors of {name} get an error, and the next customer of the name at the platform answers for it."})
	case known && p.Served == exposure.ServedServer && !p.Shows:
		j.Unclear(res, target+" stands for an address at "+p.Name+", which the name keeps when the address goes to another customer"+ask)
	case known && !p.Shows:
		j.Unclear(res, "every name below "+p.Domain+" answers, taken or not, so DNS does not show whether "+target+
			" is taken"+ask)
	case known || !shared:
		j.Pass()
	case !probed:
		j.Unread(res, snapshot.DNSLookup, probe.Scope())
	case every.Rcode == "NXDOMAIN":
		j.Pass()
	default:
		j.Unclear(res, "names below "+suffix+" answer although nobody has them, so DNS does not show whether "+target+
			" is taken; name it in trustedTargets once you know")
	}
}

// nowhere reports whether there are addresses but none of them is public.
func nowhere(answers []string) bool {
	return len(answers) > 0 && !slices.ContainsFunc(answers, func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err != nil || !exposure.ReservedAddress(a)
	})
}
