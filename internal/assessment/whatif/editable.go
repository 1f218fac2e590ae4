package whatif

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Editable lists the calls that write the settings, records, rules and policies that a finding
// reads, in the order of its evidence. The body of each is the value that was read, for a person to
// edit. Values that are kept in another form than Cloudflare accepts are left out, and so are those
// not known to be written by such a call.
func Editable(snap *snapshot.Snapshot, f posture.Finding) []change.Call {
	w := newWorld(snap)
	out := []change.Call{}
	for _, e := range f.Evidence {
		s := w.source(e.Source)
		if s.Name == "" {
			continue
		}
		path, scope, read := w.place(s, f.Resource)
		if !read {
			continue
		}
		method, own, _ := strings.Cut(f.Step(posture.ByAPI).Call, " ")
		c := w.writing(s, key{s.Name, scope}, path, strings.Split(strings.TrimPrefix(e.Pointer, "/"), "/"))
		if own == c.Path {
			c.Method = method
		}
		there := slices.ContainsFunc(out, func(o change.Call) bool { return o.Path == c.Path })
		if c.Path != "" && !there && (written(s) || own == c.Path && !listed(s)) && w.keeps(c) {
			out = append(out, c)
		}
	}
	return out
}

// written reports whether the items of a source are written at the path where they are read.
func written(s snapshot.Source) bool {
	return replaced(s.Name) || s.Name == snapshot.ZoneSettings.Source() || strings.Contains(s.Path, "/rulesets/phases/")
}

// place returns the read path of a source for a resource, the scope, and whether it was read.
func (w *world) place(s snapshot.Source, r posture.Resource) (path, scope string, read bool) {
	scope = s.Scope(snapshot.SourceScope{AccountID: w.snap.Account.ID, Zone: snapshot.Zone{ID: r.OwnZone()}, Item: r.ID})
	sec, _ := w.snap.Whole(s.Name, scope)
	path, _, _ = strings.Cut(s.Path, "?")
	path = strings.NewReplacer("{account_id}", w.snap.Account.ID, "{zone_id}", r.OwnZone(), "{item}", url.PathEscape(r.ID)).Replace(path)
	return path, scope, sec.Status.Known()
}

// writing returns the call that writes what a pointer into a section names; its path is empty when
// there is none.
func (w *world) writing(s snapshot.Source, k key, path string, pointer []string) change.Call {
	value, _ := w.get(k)
	call := func(method, path string, body any) change.Call {
		return change.Call{Method: method, Path: path, Body: encoded(body)}
	}
	switch list, phase, _ := strings.Cut(path, "/phases/"); {
	case phase != "" && len(pointer) > 1:
		for _, rule := range of(member(value, "rules")) {
			if o, is := rule.(object); is && o["id"] == pointer[1] {
				return call(http.MethodPatch, list+"/"+text(member(value, "id"))+"/rules/"+pointer[1], sentRule(o))
			}
		}
		return change.Call{}
	case phase != "":
		rules := []any{}
		for _, rule := range of(member(value, "rules")) {
			if o, is := rule.(object); is {
				rules = append(rules, with(sentRule(o), "id", o["id"]))
			}
		}
		return call(http.MethodPut, path, object{"rules": rules})
	case s.Name == snapshot.ZoneSettings.Source():
		_, setting, found := w.find(k, pointer[0])
		if !found {
			return change.Call{}
		}
		return call(http.MethodPatch, path+"/"+pointer[0], object{"value": member(setting, "value")})
	case !listed(s):
		if value == nil {
			return change.Call{}
		}
		return call(http.MethodPatch, path, value)
	default:
		_, item, found := w.find(k, pointer[0])
		o, is := item.(object)
		if !found || !is {
			return change.Call{}
		}
		method := http.MethodPatch
		if replaced(s.Name) {
			method = http.MethodPut
		}
		return call(method, path+"/"+url.PathEscape(pointer[0]), sentItem(o))
	}
}

// sentRule converts a rule to the form in which it is sent.
func sentRule(rule object) object {
	out := object{}
	for name, v := range rule {
		switch name {
		case "id", "ref", "version", "last_updated":
		case "params":
			if params := sentParams(v); len(params) > 0 {
				out["action_parameters"] = params
			}
		default:
			out[name] = v
		}
	}
	return out
}

// sentParams converts the parameters of a rule's action to the form in which they are sent
// (developers.cloudflare.com/ruleset-engine/rulesets-api/json-object/).
func sentParams(params any) object {
	p, _ := params.(object)
	out := object{}
	for name, v := range p {
		switch name {
		case "config":
			o, _ := v.(object)
			maps.Copy(out, o)
		case "redirect":
			as := "value"
			if p["redirect_expression"] == true {
				as = "expression"
			}
			out["from_value"] = object{"target_url": object{as: v}, "status_code": p["status_code"]}
		case "origin":
			for part, at := range map[string]string{"resolve": "origin.host", "sni": "sni.value", "host_header": "host_header"} {
				if value := member(v, part); value != nil {
					place, inner, nested := strings.Cut(at, ".")
					if out[place] = value; nested {
						out[place] = object{inner: value}
					}
				}
			}
		case "redirect_expression", "status_code":
		default:
			out[name] = v
		}
	}
	return out
}

// sentItem converts a list item to the form in which it is sent: without members that Cloudflare
// sets, the policies of an application by their ids, and the selectors of a policy by their kind.
func sentItem(item object) object {
	out := copied(item)
	for _, name := range append(stamps(), "id", "created_on", "created_at", "proxiable") {
		delete(out, name)
	}
	for _, name := range []string{"policies", "include", "require", "exclude"} {
		list, is := out[name].([]any)
		if !is {
			continue
		}
		sent := make([]any, len(list))
		for i, v := range list {
			if sent[i] = member(v, "id"); name != "policies" {
				sent[i] = sentSelector(text(member(v, "kind")), member(v, "value"))
			}
		}
		out[name] = sent
	}
	return out
}

// sentSelector converts a selector of an Access policy to the form in which it is sent
// (developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/policies/).
func sentSelector(kind string, value any) object {
	if value == nil {
		return object{kind: object{}}
	}
	by := map[string]string{"email_domain": "domain", "email": "email", "ip": "ip", "geo": "country_code", "service_token": "token_id",
		"common_name": "common_name", "linked_app_token": "app_uid", "auth_method": "auth_method", "device_posture": "integration_uid"}
	return object{kind: object{cmp.Or(by[kind], "id"): value}}
}

// keeps reports whether a call can be made and changes nothing.
func (w *world) keeps(c change.Call) bool {
	edits, err := newWorld(w.snap).step(c)
	return err == nil && (emptyRules(c.Body) || !slices.ContainsFunc(edits, func(e Edit) bool {
		return !slices.Contains(stamps(), e.Pointer[strings.LastIndexByte(e.Pointer, '/')+1:])
	}))
}

// emptyRules reports whether a body sets no rules, so that the call only creates the entrypoint
// ruleset of a phase.
func emptyRules(body json.RawMessage) bool { return string(body) == `{"rules":[]}` }
