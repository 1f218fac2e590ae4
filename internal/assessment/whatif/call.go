package whatif

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// RefusedError says why a call cannot be applied to the snapshot. Reason is a sentence without its
// final dot.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// request is a call together with the data needed to find the sections it changes.
type request struct {
	method string
	path   []string // decoded segments
	body   any      // decoded JSON; nil when there is none
	query  url.Values
	place  string // jurisdiction of the bucket that the call names, "" for the default
}

func (r request) object() object {
	o, _ := r.body.(object)
	return o
}

func parse(c change.Call) (request, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(c.Path, "https://api.cloudflare.com/client/v4"), "?")
	r := request{method: strings.ToUpper(c.Method), place: c.Header[snapshot.R2JurisdictionHeader]}
	if !slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, r.method) {
		return r, refuse("%s is no write: POST, PUT, PATCH or DELETE is", c.Method)
	}
	for segment := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		name, err := url.PathUnescape(segment)
		if err != nil || name == "" {
			return r, refuse("%q is no path of Cloudflare's API", c.Path)
		}
		r.path = append(r.path, name)
	}
	var err error
	if r.query, err = url.ParseQuery(query); err != nil {
		return r, refuse("%q is no path of Cloudflare's API", c.Path)
	}
	if len(c.Body) > 0 {
		if r.body, err = decoded(c.Body); err != nil {
			return r, refuse("the body is not JSON: %v", err)
		}
	}
	return r, nil
}

// target is a section that a call may change, and the item of its list that the call names; "" is
// the section itself.
type target struct {
	source snapshot.Source
	scope  string
	item   string
}

// targets lists the sections whose read has the path of the call, or the path of the list with the
// item that the call names.
func (w *world) targets(r request) (out []target) {
	for _, s := range w.sources {
		pattern, _, _ := strings.Cut(s.Path, "?")
		vars, rest, ok := matched(strings.Split(strings.Trim(pattern, "/"), "/"), r.path)
		if !ok || len(rest) > 1 || len(rest) == 1 && !listed(s) {
			continue
		}
		item := vars["item"]
		if id := snapshot.BucketID(r.place, item); slices.Contains(w.snap.Scopes(s.Name), id) {
			item = id // another jurisdiction has a bucket of its name
		}
		t := target{source: s, scope: s.Scope(snapshot.SourceScope{AccountID: w.snap.Account.ID, Zone: snapshot.Zone{ID: vars["zone_id"]},
			Item: item})}
		if len(rest) == 1 {
			t.item = rest[0]
		}
		if query := conditions(s); query.Has("zone_id") || query.Has("account.id") {
			t.scope = w.snap.Account.ID
			if query.Has("zone_id") {
				t.scope = "" // the path does not tell
				for _, scope := range w.snap.Scopes(s.Name) {
					if _, _, held := w.find(key{s.Name, scope}, t.item); held {
						t.scope = scope
					}
				}
			}
		}
		if t.scope != "" {
			out = append(out, t)
		}
	}
	return out
}

// writes lists the methods by which Cloudflare's API writes a target: a list, an item of one, or an
// object that is always there.
func (t target) writes() []string {
	switch source := t.source.Name; {
	case t.item != "" && source == snapshot.ZoneSettings.Source():
		return []string{http.MethodPatch}
	case t.item != "":
		return []string{http.MethodPut, http.MethodPatch, http.MethodDelete}
	case listed(t.source):
		return append(more()[source], http.MethodPost)
	default:
		return append(more()[source], http.MethodPut, http.MethodPatch)
	}
}

// more lists, by source, the methods that Cloudflare's API has at the path of few lists or objects
// (developers.cloudflare.com/api/).
func more() map[string][]string {
	const put, patch, post, remove = http.MethodPut, http.MethodPatch, http.MethodPost, http.MethodDelete
	return map[string][]string{
		snapshot.AccountListItems.Source():      {put, remove},
		snapshot.WorkerDomains.Source():         {put},
		snapshot.R2CORS.Source():                {put, remove},
		snapshot.R2Lifecycle.Source():           {put},
		snapshot.R2Lock.Source():                {put},
		snapshot.ZoneSnippetRules.Source():      {put, remove},
		snapshot.AlertSilences.Source():         {put},
		snapshot.UserGroupMembers.Source():      {put},
		snapshot.MagicIPsec.Source():            {put},
		snapshot.MagicGRE.Source():              {put},
		snapshot.LBPools.Source():               {patch},
		snapshot.ZoneAPIDiscovery.Source():      {patch},
		snapshot.ZoneAPIOperations.Source():     {remove},
		snapshot.EmailSecurityDomains.Source():  {remove},
		snapshot.StoreSecrets.Source():          {remove},
		snapshot.TunnelConnections.Source():     {remove},
		snapshot.ZoneDNSSEC.Source():            {remove},
		snapshot.ZoneURLNormalization.Source():  {remove},
		snapshot.ZoneManagedHeaders.Source():    {remove},
		snapshot.ZoneSecurityTxt.Source():       {remove},
		snapshot.ZoneFallbackOrigin.Source():    {remove},
		snapshot.DeviceSettings.Source():        {remove},
		snapshot.DLPSettings.Source():           {remove},
		snapshot.AccountTokenSelf.Source():      {remove},
		snapshot.UserTokenSelf.Source():         {remove},
		snapshot.ZoneSecondaryOutgoing.Source(): {post, remove},
		snapshot.WorkerSubdomain.Source():       {post, remove},
		snapshot.ZoneLeakedCredentials.Source(): {post},
		snapshot.DeviceOverride.Source():        {post},
		snapshot.AccessOrg.Source():             {post},
	}
}

// conditions returns the values that the query of a source requires of its items, such as
// mode=whitelist.
func conditions(s snapshot.Source) url.Values {
	_, query, _ := strings.Cut(s.Path, "?")
	out, err := url.ParseQuery(query)
	if err != nil {
		return url.Values{}
	}
	return out
}

// matched returns the variables of a pattern and the rest of the path after it.
func matched(pattern, path []string) (vars map[string]string, rest []string, ok bool) {
	if len(path) < len(pattern) {
		return nil, nil, false
	}
	vars = map[string]string{}
	for i, p := range pattern {
		if name, is := strings.CutPrefix(p, "{"); is {
			vars[strings.TrimSuffix(name, "}")] = path[i]
		} else if p != path[i] {
			return nil, nil, false
		}
	}
	return vars, path[len(pattern):], true
}

// inside rejects calls about another account, or a zone that was not read.
func (w *world) inside(r request) error {
	switch {
	case is(r.path, "zones"), is(r.path, "accounts"):
		return refuse("what would be there cannot be judged")
	case len(r.path) < 2:
		return nil
	}
	switch id := r.path[1]; r.path[0] {
	case "accounts":
		if id != w.snap.Account.ID {
			return refuse("the assessment is not one of account %s", id)
		}
	case "zones":
		i := slices.IndexFunc(w.zones, func(z snapshot.Zone) bool { return z.ID == id || z.Name == id })
		switch {
		case i < 0:
			return refuse("the assessment did not look at zone %s", id)
		case w.zones[i].ID != id:
			return refuse("a call names zone %s by its id, which is %s", id, w.zones[i].ID)
		}
	}
	return nil
}

// apply makes the change of a call.
func (w *world) apply(r request) error {
	if err := w.inside(r); err != nil {
		return err
	}
	if done, err := w.special(&r); done || err != nil {
		return err
	}
	return w.write(r)
}

// write makes the change of a call that has the usual form.
func (w *world) write(r request) error {
	targets := w.targets(r)
	var unread, missing *target
	changed := false
	for i, t := range targets {
		switch err := w.change(t, r); {
		case err == nil:
			changed = true
		case errors.Is(err, errUnread):
			unread = &targets[i]
		case errors.Is(err, errMissing):
			missing = &targets[i]
		default:
			return err
		}
	}
	switch {
	case changed:
		return nil
	case unread != nil:
		w.doubt(key{unread.source.Name, unread.scope})
		return nil
	case missing != nil && missing.source.Name == snapshot.ZoneSettings.Source():
		return refuse("the setting %s is not assessed", missing.item)
	case missing != nil:
		return refuse("there is no %s in what was read", missing.item)
	default:
		return refuse("nothing is read from this part of Cloudflare's API")
	}
}

// change makes the change of a call in one section.
func (w *world) change(t target, r request) error {
	k := key{t.source.Name, t.scope}
	switch setting := t.source.Name == snapshot.ZoneSettings.Source() && t.item != ""; {
	case !slices.Contains(t.writes(), r.method):
		return refuse("Cloudflare's API has no %s there", r.method)
	case r.body == nil && r.method != http.MethodDelete:
		return refuse("the call sends no body")
	case setting && r.object()["value"] == nil && r.object()["enabled"] == nil:
		return refuse("the body has no value of the setting")
	}
	value, status := w.get(k)
	if !status.Known() && !(status == snapshot.NotEntitled && r.method != http.MethodDelete) {
		return errUnread
	}
	switch {
	case !listed(t.source):
		if r.method == http.MethodDelete {
			w.put(k, nil)
			return nil
		}
		now, err := edited(t.source, value, w.stamped(r.body), false, false)
		if err != nil {
			return err
		}
		w.put(k, now)
		return nil
	case t.item != "":
		return w.changeItem(t, k, value, r)
	case r.method == http.MethodPost:
		several, is := r.body.([]any)
		if !is {
			several = []any{r.body}
		}
		for _, one := range several {
			if err := w.add(t.source, k, one); err != nil {
				return err
			}
		}
		return nil
	case r.method == http.MethodDelete:
		return w.deleteSome(k, value, r)
	case t.source.Name == snapshot.WorkerDomains.Source(): // a hostname is attached, or moved to another script
		return w.upsert(t.source, k, value, r.object(), "hostname")
	default:
		return w.replaceAll(t.source, k, r.body)
	}
}

// upsert replaces the item with the same name, or adds one.
func (w *world) upsert(s snapshot.Source, k key, value any, o object, name string) error {
	w.put(k, slices.DeleteFunc(slices.Clone(of(value)), func(v any) bool { return o[name] != nil && member(v, name) == o[name] }))
	return w.add(s, k, o)
}

// deleteSome removes the items that the body names, as for lists of addresses, or all items.
func (w *world) deleteSome(k key, value any, r request) error {
	if r.body == nil {
		w.put(k, nil)
		return nil
	}
	named := of(r.object()["items"])
	w.put(k, slices.DeleteFunc(slices.Clone(of(value)), func(v any) bool {
		return slices.ContainsFunc(named, func(n any) bool { return member(n, "id") != nil && member(n, "id") == member(v, "id") })
	}))
	return nil
}

// replaceAll replaces a whole list, for a write to the path of the list.
func (w *world) replaceAll(s snapshot.Source, k key, body any) error {
	if o, is := body.(object); is && s.Wire().Kind() == reflect.Slice && len(o) == 1 { // an envelope
		for _, v := range o {
			body = v
		}
	}
	if items, is := body.([]any); is {
		items = slices.Clone(items)
		for i, v := range items {
			if o, is := v.(object); is && o["id"] == nil {
				items[i] = with(o, "id", w.newID())
			}
		}
		body = items
	}
	now, err := stored(s, body)
	if err != nil {
		return err
	}
	w.put(k, now)
	return nil
}

func (w *world) changeItem(t target, k key, value any, r request) error {
	at, old, found := w.find(k, t.item)
	items := of(value)
	switch {
	case r.method == http.MethodDelete && found:
		w.put(k, slices.Delete(slices.Clone(items), at, at+1))
		return nil
	case !found && r.method == http.MethodPut && upserted(t.source.Name):
		o, err := named(t.source, r.object(), nil, t.item)
		if err != nil {
			return err
		}
		return w.add(t.source, k, o)
	case !found:
		return errMissing
	}
	body := copied(r.object())
	w.inZone(t.source, k, body)
	sent, err := named(t.source, body, old, t.item)
	if err != nil {
		return err
	}
	now, err := edited(t.source, old, w.stamped(sent), true, r.method == http.MethodPut && replaced(t.source.Name))
	if err != nil {
		return err
	}
	items = slices.Clone(items)
	if items[at] = derived(t.source, now); !meets(items[at], r.object(), conditions(t.source)) {
		items = slices.Delete(items, at, at+1)
		w.unlisted(t.source)
	}
	w.put(k, items)
	return nil
}

// unlisted records that an item is not among those that are read, although it has an effect.
func (w *world) unlisted(s snapshot.Source) {
	if s.Name == snapshot.ZoneIPAccessRules.Source() || s.Name == snapshot.AccountIPAccessRules.Source() {
		w.doubts = append(w.doubts, Doubt{What: s.Name, Why: "rules that block or challenge are not read"})
	}
}

// add adds a new item to a list.
func (w *world) add(s snapshot.Source, k key, body any) error {
	o, is := body.(object)
	if !is {
		return refuse("the body is not an object")
	}
	o = copied(o)
	named := o["id"] != nil
	if !named {
		o["id"] = w.newID()
	}
	w.complete(s, k, o)
	now, err := edited(s, nil, o, true, true)
	if err != nil && !named {
		o["id"] = json.Number(fmt.Sprint(1_000_000_000 + w.made)) // some lists use numeric ids
		now, err = edited(s, nil, o, true, true)
	}
	if err != nil {
		return err
	}
	value, _ := w.get(k)
	if !meets(now, o, conditions(s)) {
		w.unlisted(s)
		return nil
	}
	w.put(k, sorted(append(slices.Clone(of(value)), derived(s, now))))
	return nil
}

// meets reports whether an object has the values that a query asks for. Members that are unknown
// count as matching.
func meets(now any, sent object, query url.Values) bool {
	for name, values := range query {
		is := member(now, name)
		if is == nil {
			is = sent[name]
		}
		if is != nil && !slices.Contains(values, "all") && !slices.Contains(values, fmt.Sprint(is)) {
			return false
		}
	}
	return true
}

// upserted reports whether a PUT to an item of the source creates the item if it is missing.
func upserted(source string) bool {
	return slices.Contains([]string{snapshot.ZoneHostnameMinTLS.Source(), snapshot.ZoneHostnameCiphers.Source()}, source)
}

// replaced reports whether a PUT replaces the items of the source, so that members that are not
// sent get their defaults. Items of other sources keep them.
func replaced(source string) bool {
	return slices.Contains([]string{snapshot.ZoneDNSRecords.Source(), snapshot.AccessApps.Source(), snapshot.AccessPolicies.Source(),
		snapshot.AccessGroups.Source(), snapshot.GatewayRules.Source(), snapshot.AccountTokens.Source(), snapshot.UserTokens.Source(),
		snapshot.ZonePageRules.Source(), snapshot.ZoneLoadBalancers.Source(), snapshot.LBPools.Source(),
		snapshot.ZoneSpectrumApps.Source()}, source)
}
