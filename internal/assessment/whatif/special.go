package whatif

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// special makes the changes of calls whose form differs from what is read. It may also rewrite a
// call into the usual form.
func (w *world) special(r *request) (done bool, err error) {
	if len(r.path) < 3 || r.path[0] != "zones" && r.path[0] != "accounts" {
		return false, nil
	}
	level, scope := strings.TrimSuffix(r.path[0], "s"), r.path[1]
	switch rest := r.path[2:]; {
	case rest[0] == "rulesets":
		return true, w.ruleset(level, scope, rest[1:], r)
	case is(rest, "settings") && r.object()["items"] != nil:
		return true, w.settings(r)
	case is(rest, "dns_records", "batch"):
		return true, w.batch(r)
	case rest[0] == "content-upload-scan" && len(rest) == 2 && (rest[1] == "enable" || rest[1] == "disable"):
		r.method, r.path, r.body = http.MethodPut, append(r.path[:3:3], "settings"), object{"value": rest[1] + "d"}
	case is(rest, "hold"):
		hold := object{"hold": r.method != http.MethodDelete, "hold_after": nil}
		for name := range r.query {
			if v, err := decoded([]byte(r.query.Get(name))); err == nil {
				hold[name] = v
			}
		}
		maps.Copy(hold, r.object())
		r.method, r.body = http.MethodPatch, hold
	case is(rest, "dnssec") && r.object()["status"] != nil:
		value, _ := w.get(key{snapshot.ZoneDNSSEC.Source(), scope})
		r.body = with(r.object(), "status", signing(text(member(value, "status")), text(r.object()["status"])))
	case is(rest, "email", "routing", "enable"), is(rest, "email", "routing", "disable"):
		r.method, r.path, r.body = http.MethodPatch, r.path[:4], object{"enabled": rest[2] == "enable"}
	case rest[0] == "access" && len(rest) > 1:
		return w.access(scope, rest[1:], r)
	}
	return false, nil
}

// signing returns the DNSSEC status after a new one is requested: pending until the registrar has
// added or removed the DS record (developers.cloudflare.com/dns/dnssec/dnssec-states/).
func signing(was, want string) string {
	switch {
	case want == "active" && was != "active":
		return "pending"
	case want == "disabled" && was == "active":
		return "pending-disabled"
	default:
		return want
	}
}

// is reports whether a path has exactly these segments.
func is(path []string, want ...string) bool { return slices.Equal(path, want) }

// settings writes several settings of a zone at once.
func (w *world) settings(r *request) error {
	for _, v := range of(r.object()["items"]) {
		one := request{method: http.MethodPatch, path: append(slices.Clone(r.path), text(member(v, "id"))), body: v}
		if err := w.apply(one); err != nil {
			return err
		}
	}
	return nil
}

// batch applies several changes of DNS records in the documented order
// (developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes/).
func (w *world) batch(r *request) error {
	list := r.path[:len(r.path)-1]
	for _, step := range []struct{ name, method string }{{"deletes", http.MethodDelete}, {"patches", http.MethodPatch},
		{"puts", http.MethodPut}, {"posts", http.MethodPost}} {
		for _, v := range of(r.object()[step.name]) {
			one := request{method: step.method, path: list, body: v}
			if step.method != http.MethodPost {
				one.path = append(slices.Clone(list), text(member(v, "id")))
			}
			if err := w.apply(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete adds the members that Cloudflare sets on a new item.
func (w *world) complete(s snapshot.Source, k key, o object) {
	put := func(name string, value any) {
		if o[name] == nil {
			o[name] = value
		}
	}
	w.inZone(s, k, o)
	switch s.Name {
	case snapshot.ZoneDNSRecords.Source():
		put("ttl", json.Number("1"))
	case snapshot.AccessServiceTokens.Source():
		put("duration", "8760h")
		if term, err := time.ParseDuration(text(o["duration"])); err == nil {
			put("expires_at", w.snap.TakenAt.Add(term).Format(time.RFC3339Nano))
		}
	case snapshot.ZoneIPAccessRules.Source():
		put("scope", object{"type": "zone"})
	case snapshot.AccountIPAccessRules.Source():
		put("scope", object{"type": "organization"})
	case snapshot.AccountMembers.Source():
		put("status", "pending")
	case snapshot.AccountTokens.Source():
		put("status", "active")
		put("issued_on", w.snap.TakenAt.Format(time.RFC3339Nano))
	case snapshot.ZonePageRules.Source():
		put("status", "active") // the default is disabled, which is not listed
	}
	for _, name := range []string{"created_on", "modified_on", "created_at", "updated_at"} {
		put(name, w.snap.TakenAt.Format(time.RFC3339Nano))
	}
}

// inZone completes the name of a record, which may be sent relative to its zone.
func (w *world) inZone(s snapshot.Source, k key, o object) {
	i := slices.IndexFunc(w.zones, func(z snapshot.Zone) bool { return z.ID == k.scope })
	name, sent := o["name"].(string)
	if !sent || i < 0 || s.Name != snapshot.ZoneDNSRecords.Source() {
		return
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	switch zone := w.zones[i].Name; {
	case name == "@" || name == "":
		name = zone
	case name != zone && !strings.HasSuffix(name, "."+zone):
		name += "." + zone
	}
	o["name"] = name
}

// derived adds the members of an item that are computed from others.
func derived(s snapshot.Source, item any) any {
	o, is := item.(object)
	if !is || s.Name != snapshot.ZoneDNSRecords.Source() {
		return item
	}
	o = maps.Clone(o)
	addr, err := netip.ParseAddr(text(o["content"]))
	o["proxiable"] = o["type"] == "CNAME" || (o["type"] == "A" || o["type"] == "AAAA") && err == nil && !addr.IsPrivate()
	if o["proxied"] == true {
		o["ttl"] = json.Number("1")
	}
	return o
}

// access makes the changes of applications, which contain the full policies although they are sent
// by id, and of policies, which belong to one application or to several.
func (w *world) access(account string, path []string, r *request) (done bool, err error) {
	apps := key{snapshot.AccessApps.Source(), account}
	switch {
	case path[0] == "service_tokens" && len(path) == 3 && path[2] == "refresh":
		return true, w.refresh(account, path[1])
	case path[0] == "apps" && len(path) <= 2 && r.method != http.MethodDelete:
		return true, w.app(apps, path[1:], r)
	case path[0] == "apps" && len(path) >= 3 && path[2] == "policies":
		return true, w.policyOf(apps, path[1], path[3:], r)
	case path[0] == "policies" && len(path) == 2:
		if err := w.write(*r); err != nil {
			return true, err
		}
		_, policy, held := w.find(key{snapshot.AccessPolicies.Source(), account}, path[1])
		all, _ := w.get(apps)
		for i, app := range of(all) {
			policies := of(member(app, "policies"))
			at := slices.IndexFunc(policies, func(v any) bool { return member(v, "id") == path[1] })
			if at < 0 {
				continue
			}
			if policies = slices.Clone(policies); held {
				policies[at] = policy
			} else {
				policies = slices.Delete(policies, at, at+1)
			}
			o, _ := app.(object)
			w.putItem(apps, i, with(o, "policies", policies))
		}
		return true, nil
	default:
		return false, nil
	}
}

// app creates or changes an application.
func (w *world) app(k key, id []string, r *request) error {
	sent := copied(r.object())
	if r.object() == nil {
		return refuse("the body is not an object")
	}
	var name string
	if len(id) == 1 {
		name = id[0]
	} else if name = text(sent["id"]); name == "" {
		name = w.newID()
		sent["id"] = name
	}
	_, was, _ := w.find(k, name)
	policies := of(member(was, "policies"))
	if list, has := sent["policies"].([]any); has {
		var err error
		if policies, err = w.attached(k.scope, policies, list); err != nil {
			return err
		}
	}
	delete(sent, "policies")
	usual := *r
	usual.body = sent
	if err := w.write(usual); err != nil {
		return err
	}
	at, app, found := w.find(k, name)
	o, is := app.(object)
	if !found || !is {
		return nil // it was not read
	}
	w.putItem(k, at, with(o, "policies", append([]any{}, policies...)))
	return nil
}

// attached returns the policies for an application body: each is given in full, or by the id of one
// that the application has or that is reusable.
func (w *world) attached(account string, own, sent []any) ([]any, error) {
	reusable, _ := w.get(key{snapshot.AccessPolicies.Source(), account})
	known := map[string]any{}
	for _, p := range slices.Concat(own, of(reusable)) {
		known[text(member(p, "id"))] = p
	}
	var out []any
	for _, p := range sent {
		id := text(p)
		if id == "" {
			id = text(member(p, "id"))
		}
		if held, is := known[id]; is && member(p, "decision") == nil {
			out = append(out, held)
			continue
		}
		o, is := p.(object)
		if !is {
			return nil, refuse("there is no policy %s in what was read", id)
		}
		if o = copied(o); id == "" {
			o["id"] = w.newID()
		}
		now, err := storedItem(w.source(snapshot.AccessPolicies.Source()), o)
		if err != nil {
			return nil, err
		}
		out = append(out, now)
	}
	return out, nil
}

// policyOf changes a policy that belongs to one application.
func (w *world) policyOf(k key, app string, id []string, r *request) error {
	at, v, found := w.find(k, app)
	o, is := v.(object)
	if !found || !is {
		return refuse("there is no application %s in what was read", app)
	}
	policies := slices.Clone(of(o["policies"]))
	sent := copied(r.object())
	i := len(policies)
	if len(id) == 1 {
		if i = slices.IndexFunc(policies, func(v any) bool { return member(v, "id") == id[0] }); i < 0 {
			return refuse("there is no policy %s in the application", id[0])
		}
		if r.method == http.MethodDelete {
			policies = slices.Delete(policies, i, i+1)
		}
	}
	if r.method != http.MethodDelete {
		if r.object() == nil {
			return refuse("the body is not an object")
		}
		if sent["id"] == nil {
			if sent["id"] = w.newID(); len(id) == 1 {
				sent["id"] = id[0]
			}
		}
		now, err := storedItem(w.source(snapshot.AccessPolicies.Source()), sent)
		if err != nil {
			return err
		}
		policies = append(policies[:i:i], append([]any{now}, policies[min(i+len(id), len(policies)):]...)...)
	}
	w.putItem(k, at, with(o, "policies", policies))
	return nil
}

// refresh extends a service token by the duration it was created with.
func (w *world) refresh(account, id string) error {
	k := key{snapshot.AccessServiceTokens.Source(), account}
	at, v, found := w.find(k, id)
	o, is := v.(object)
	if !found || !is {
		return refuse("there is no service token %s in what was read", id)
	}
	term, wrong := time.ParseDuration(text(o["duration"]))
	if wrong != nil {
		w.doubts = append(w.doubts, Doubt{What: k.source, Why: "how long the service token holds after that is not known"})
		return nil //nolint:nilerr // that is all there is to say
	}
	w.putItem(k, at, with(o, "expires_at", w.snap.TakenAt.Add(term).Format(time.RFC3339Nano)))
	return nil
}

// besides applies the changes that Cloudflare makes elsewhere when a section changes.
func (w *world) besides(k key) {
	value, _ := w.get(k)
	edit := func(at key, name string, change func(o object) object) {
		i, item, found := w.find(at, name)
		if o, is := item.(object); found && is {
			w.putItem(at, i, change(maps.Clone(o)))
		}
	}
	switch account := w.snap.Account.ID; k.source {
	case snapshot.WorkerSubdomain.Source():
		edit(key{snapshot.WorkersBeta.Source(), account}, k.scope, func(o object) object {
			if o["subdomain"] != nil {
				o["subdomain"] = value
			}
			return o
		})
	case snapshot.ZoneSettings.Source():
		was, _ := w.before(k)
		mode := func(all any) any {
			for _, v := range of(all) {
				if member(v, "id") == "development_mode" {
					return member(v, "value")
				}
			}
			return nil
		}
		if now := mode(value); now != mode(was) {
			edit(key{snapshot.ZoneList.Source(), account}, k.scope, func(o object) object {
				o["development_mode"] = json.Number("0")
				if now == "on" {
					o["development_mode"] = json.Number("10800") // three hours
				}
				return o
			})
			w.zonesAnew()
		}
	case snapshot.ZoneUniversalSSL.Source():
		was, status := w.before(k)
		if status == snapshot.Skipped { // the zone has an active one
			was = object{"enabled": true}
		}
		if on := member(value, "enabled"); on != member(was, "enabled") {
			packs := key{snapshot.ZoneCertificatePacks.Source(), k.scope}
			if on == true { // issuing a certificate takes minutes
				w.edited[packs] = section{status: snapshot.Failed, reason: unseen}
				return
			}
			all, status := w.get(packs)
			if status == snapshot.OK {
				w.put(packs, slices.DeleteFunc(slices.Clone(of(all)), func(v any) bool { return member(v, "type") == "universal" }))
			}
		}
	}
}
