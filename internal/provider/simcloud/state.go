package simcloud

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// State returns everything a client could read about an account and its zones as indented JSON with
// sorted keys: one member for each read of the routes table with the result of its handler, and
// within it one member per parent, if the read has parents. It is nil for an unknown account.
//
// Two states are byte-identical if nothing a client can set differs. Values the provider assigns
// are left out (dates of changes, versions of rules, the seconds left of development mode) or
// replaced by content (ids of objects that can be deleted and recreated, and references to them).
// Lists without an order of their own are sorted; rules keep theirs. An entrypoint without rules
// counts as missing, as the two behave the same. The audit log is not included.
func (cl *Cloud) State(accountID string) []byte {
	a := cl.byID[accountID]
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := stateView{cloud: cl, acct: a, routes: Routes(), ids: regexp.MustCompile(idPattern), names: map[string]string{}}
	account, zones := s.section(nil), obj{}
	for i := range a.zoneCount {
		zones[a.zoneName(i)] = s.section(a.zone(i))
	}
	s.nameAccount(account)
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		section, _ := zones[name].(obj)
		s.nameZone(section)
	}
	whole, _ := s.rename(obj{"account": account, "zones": zones}).(obj)
	arrange(whole["account"])
	named, _ := whole["zones"].(obj)
	for _, section := range named {
		arrange(section)
	}
	raw, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		panic("simcloud: state cannot be encoded: " + err.Error())
	}
	return append(raw, '\n')
}

// stateView is one state being built. The caller holds the account's lock.
type stateView struct {
	cloud  *Cloud
	acct   *account
	routes []Route
	ids    *regexp.Regexp
	names  map[string]string // names of objects, by id
}

// reading is one request for a read.
type reading struct {
	label  string // name of the parent, empty for a read without one
	values map[string]string
	query  url.Values
	place  string // jurisdiction of buckets
}

// apart returns the reads that say nothing about the configuration: the caller's token, and the audit log.
func apart() []string {
	return []string{"/accounts/{account_id}/tokens/verify", "/accounts/{account_id}/logs/audit"}
}

// stated reports whether a read is part of the state of an account (or a zone).
func stated(r *Route, ofZone bool) bool {
	if r.Method != http.MethodGet || r.repeat || slices.Contains(apart(), r.Pattern) {
		return false
	}
	if ofZone {
		return strings.HasPrefix(r.Pattern, "/zones/{zone_id}") || r.Pattern == "/certificates"
	}
	return strings.HasPrefix(r.Pattern, "/accounts/{account_id}")
}

// section returns the results of every read of a zone, or of the account when z is nil.
func (s *stateView) section(z *zone) obj {
	out := obj{}
	for i := range s.routes {
		r := &s.routes[i]
		if !stated(r, z != nil) {
			continue
		}
		key := strings.TrimPrefix(strings.TrimPrefix(r.Pattern, "/accounts/{account_id}"), "/zones/{zone_id}")
		if key == "" {
			key = "/"
		}
		readings := s.readings(r, z)
		if len(readings) == 1 && readings[0].label == "" {
			out[key] = s.answer(r, z, key, readings[0])
			continue
		}
		byParent := obj{}
		for _, one := range readings {
			byParent[one.label] = s.answer(r, z, key, one)
		}
		out[key] = byParent
	}
	return out
}

// answer runs a handler and decodes its result without the values the provider assigns.
func (s *stateView) answer(r *Route, z *zone, key string, one reading) any {
	whole := *r
	whole.paging = paging{}
	request := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: BasePath + r.Pattern}, Header: http.Header{}}
	if one.place != "" {
		request.Header.Set("Cf-R2-Jurisdiction", one.place)
	}
	for name, value := range one.values {
		request.SetPathValue(name, value)
	}
	c := &call{cloud: s.cloud, r: request, route: &whole, query: one.query, token: s.cloud.tokens[0], acct: s.acct, zone: z,
		now: s.cloud.now()}
	a := r.handle(c)
	switch {
	case a.err != nil:
		return obj{"refused": a.err.Code}
	case a.file != nil:
		return string(a.file)
	}
	decoder := json.NewDecoder(bytes.NewReader(mustJSON(a.result)))
	decoder.UseNumber() // keep numbers as written
	var out any
	if err := decoder.Decode(&out); err != nil {
		panic("simcloud: answer cannot be read back: " + err.Error())
	}
	return s.settled(key, unassigned(out))
}

// readings returns the requests of one read: one per parent, or one per variant if the result
// depends on the query.
func (s *stateView) readings(r *Route, z *zone) []reading {
	switch r.Pattern {
	case "/accounts/{account_id}/r2/buckets":
		out := []reading{{label: defaultJurisdiction}}
		for _, j := range snapshot.R2Jurisdictions() {
			out = append(out, reading{label: j, place: j})
		}
		return out
	case "/accounts/{account_id}/security-center/insights":
		few := url.Values{"per_page": {"1000"}}
		return []reading{{label: "open", query: few}, {label: "dismissed", query: url.Values{"per_page": {"1000"}, "dismissed": {"true"}}}}
	case "/zones/{zone_id}/ssl/certificate_packs":
		return []reading{{query: url.Values{"status": {"all"}}}}
	case "/zones/{zone_id}/api_gateway/labels":
		return []reading{{query: url.Values{"with_mapped_resource_counts": {"true"}}}}
	case "/zones/{zone_id}/email/auth/spf/inspect":
		return z.senders()
	}
	_, tail, found := strings.Cut(strings.Replace(strings.Replace(r.Pattern, "{account_id}", "", 1), "{zone_id}", "", 1), "{")
	if !found {
		return []reading{{}}
	}
	param, _, _ := strings.Cut(tail, "}")
	return s.parents(param, z)
}

// senders returns one reading for each SPF record.
func (z *zone) senders() []reading {
	var out []reading
	for _, r := range z.records {
		if r.Type == "TXT" && strings.HasPrefix(strings.Trim(r.Content, `"`), "v=spf1") {
			out = append(out, reading{label: r.Name + " " + r.Content, query: url.Values{"id": {r.ID}}})
		}
	}
	return out
}

// parents returns one reading for each object that a variable segment of a read can name.
func (s *stateView) parents(param string, z *zone) []reading {
	var ids []string
	from := func(list []obj, key string) {
		for _, o := range list {
			ids = append(ids, asText(o[key]))
		}
	}
	switch param {
	case "list_id":
		from(s.acct.lists, "id")
	case "user_group_id":
		from(s.acct.userGroups, "id")
	case "tunnel_id":
		from(s.acct.tunnels, "id")
	case "script_name":
		for _, w := range s.acct.workers {
			ids = append(ids, w.name)
		}
	case "snippet_name":
		for _, one := range z.snippets {
			ids = append(ids, one.name)
		}
	case "setting_id":
		ids = slices.Sorted(maps.Keys(defaultSettings()))
	case "ruleset_id":
		for _, r := range rulesetsOf(s.acct, z) {
			if !r.hollow() {
				ids = append(ids, r.ID)
			}
		}
	case "bucket_name":
		var out []reading
		for _, b := range s.acct.buckets {
			out = append(out, reading{label: b.jurisdiction + "/" + b.name, values: map[string]string{param: b.name}, place: b.jurisdiction})
		}
		return out
	case "project_name":
		from(s.acct.projects, "name")
	case "store_id":
		from(s.acct.held[secretStore], "id")
	case "prefix_id":
		from(s.acct.held["account/ip_prefixes"], "id")
	case "name":
		from(s.acct.held["account/ai_search_namespaces"], "name")
	case "item":
		from(s.acct.held[addressLists], "id")
	default:
		panic("simcloud: the state does not know what {" + param + "} ranges over")
	}
	out := make([]reading, 0, len(ids))
	for _, id := range ids {
		out = append(out, reading{label: id, values: map[string]string{param: id}})
	}
	return out
}
