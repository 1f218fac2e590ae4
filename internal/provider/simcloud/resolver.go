package simcloud

import (
	"context"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Lookup is Resolve in the form that runs need.
func (cl *Cloud) Lookup(_ context.Context, q snapshot.Question) (snapshot.Lookup, error) {
	rcode, chain, answers := cl.Resolve(q.Type, q.Name)
	return snapshot.Lookup{Rcode: rcode, Chain: chain, Answers: append([]string{}, answers...)}, nil
}

// Resolve simulates public DNS: names of the zones resolve to their records, external names to what
// plants registered, and every other name exists. rcode is as in the IANA registry; chain holds the
// CNAME targets that were followed.
func (cl *Cloud) Resolve(recordType, name string) (rcode string, chain, answers []string) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	for range 9 {
		target, code, found := cl.answer(recordType, name)
		if code != "NOERROR" || target == "" || recordType == "CNAME" {
			return code, chain, found
		}
		chain, name = append(chain, target), target
	}
	return "SERVFAIL", chain, nil
}

// outsideName is the simulated DNS data of a name that no account of the cloud has.
type outsideName struct {
	rcode   string
	records map[string][]string // by record type
}

// answer resolves one step: the records of a type, or the CNAME to follow.
func (cl *Cloud) answer(recordType, name string) (target, rcode string, answers []string) {
	for _, a := range cl.accounts {
		if out, known := a.outside(name); known {
			return out.step(recordType)
		}
	}
	if ref, hosted := cl.zoneOf(name); hosted {
		ref.acct.mu.Lock()
		defer ref.acct.mu.Unlock()
		return ref.acct.zone(ref.index).answer(recordType, name)
	}
	return "", "NOERROR", byDefault(recordType, name)
}

func (o outsideName) step(recordType string) (target, rcode string, answers []string) {
	if o.rcode != "" && o.rcode != "NOERROR" {
		return "", o.rcode, nil
	}
	if found := o.records[recordType]; len(found) > 0 || recordType == "CNAME" {
		return "", "NOERROR", found
	}
	if follow := o.records["CNAME"]; len(follow) > 0 {
		return follow[0], "NOERROR", nil
	}
	return "", "NOERROR", nil
}

// byDefault returns the answer for a name that no plant registered.
func byDefault(recordType, name string) []string {
	switch recordType {
	case "A":
		return []string{"185.220.30.1"}
	case "SOA":
		return []string{"ns1." + name}
	case "TXT":
		if strings.Contains(name, "_spf") {
			return []string{"v=spf1 ip4:185.220.30.0/24 -all"}
		}
	}
	return []string{}
}

// zoneOf finds the zone a name belongs to.
func (cl *Cloud) zoneOf(name string) (ref zoneRef, hosted bool) {
	for more := true; more && !hosted; _, name, more = strings.Cut(name, ".") {
		ref, hosted = cl.named[name]
	}
	return ref, hosted
}

func (z *zone) answer(recordType, name string) (target, rcode string, answers []string) {
	if name == z.name && recordType == "NS" {
		servers, _ := z.object()["name_servers"].([]string)
		return "", "NOERROR", servers
	}
	exists := name == z.name
	answers = []string{}
	for _, r := range z.records {
		if r.Name != name && !strings.HasSuffix(r.Name, "."+name) {
			continue
		}
		exists = true
		switch {
		case r.Name != name:
		case r.Type == recordType:
			answers = append(answers, strings.ReplaceAll(strings.Trim(r.Content, `"`), `" "`, ""))
		case r.Type == "CNAME":
			target = r.Content
		}
	}
	if !exists {
		return "", "NXDOMAIN", nil
	}
	slices.Sort(answers)
	if len(answers) > 0 {
		target = ""
	}
	return target, "NOERROR", answers
}
