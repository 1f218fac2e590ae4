package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
)

type jsonObject = map[string]any

// wanted is one change that brings the service in line with the file.
type wanted struct {
	Action string   `json:"action"` // add, change or remove
	Kind   string   `json:"kind"`   // account, exception, ownership or schedule
	Name   string   `json:"name"`
	Fields []string `json:"fields,omitempty"` // that differ
	At     string   `json:"at,omitempty"`     // position in the file

	calls []wantedCall
}

type wantedCall struct {
	method, path string
	body         any
}

// declarationFlags are the flags of apply -f and diff -f.
type declarationFlags struct {
	path  string
	prune bool
}

func (d *declarationFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&d.path, "file", "f", "", "YAML `FILE` with the accounts, exceptions, ownership and schedules wanted, - for stdin")
	cmd.Flags().BoolVar(&d.prune, "prune", false, "with -f: also remove exceptions and schedules that are not in the file")
}

func (d *declarationFlags) run(p *program, cmd *cobra.Command, look bool) error {
	file, err := p.readDeclaration(d.path)
	if err != nil {
		return err
	}
	return p.with(cmd.Context(), false, func(ctx context.Context, s *session) error { return s.declare(ctx, file, d.prune, look) })
}

// declare computes the changes, and makes them unless look is set.
func (s *session) declare(ctx context.Context, d *declaration, prune, look bool) error {
	all, err := s.differences(ctx, d, prune)
	if err != nil {
		return err
	}
	for i, w := range all {
		for _, c := range w.calls {
			if look {
				break
			}
			if _, err := s.api.Ask(ctx, c.method, c.path, nil, c.body); err != nil {
				after := ""
				if n := len(all) - i - 1; n > 0 {
					after = fmt.Sprintf(", nor the %s after it", english.Plural(n, "change", ""))
				}
				return fmt.Errorf("%s: %s %s was not made%s: %w", cmp.Or(w.At, d.file), w.Kind, clean(w.Name), after, err)
			}
		}
	}
	if s.structured() {
		raw, err := json.Marshal(jsonObject{"changes": append([]wanted{}, all...), "made": !look})
		if err != nil {
			return fmt.Errorf("write the changes: %w", err)
		}
		return s.print(raw)
	}
	shown(s.out, all)
	switch {
	case len(all) == 0:
		s.say("everything is as %s says", d.file)
	case look:
		s.say("%s would be made", english.Plural(len(all), "change", ""))
	default:
		s.say("%s made", english.Plural(len(all), "change", ""))
	}
	return nil
}

func shown(to io.Writer, all []wanted) {
	sign := map[string]string{"add": "+", "change": "~", "remove": "-"}
	for _, w := range all {
		fields := ""
		if len(w.Fields) > 0 {
			fields = ": " + strings.Join(w.Fields, ", ")
		}
		line(to, "%s %s %s%s", sign[w.Action], w.Kind, clean(w.Name), fields)
	}
}

// differences returns the changes in the order in which they are made.
func (s *session) differences(ctx context.Context, d *declaration, prune bool) (all []wanted, err error) {
	accounts := &accountsOf{s: s, byRef: map[string]jsonObject{}}
	for _, section := range []func(context.Context, *declaration, *accountsOf, bool) ([]wanted, error){s.accountsDiffer, s.ownershipDiffers,
		s.schedulesDiffer, s.exceptionsDiffer} {
		some, err := section(ctx, d, accounts, prune)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// accountsOf caches account look-ups.
type accountsOf struct {
	s     *session
	byRef map[string]jsonObject
}

func (a *accountsOf) get(ctx context.Context, ref, at string) (jsonObject, error) {
	if known := a.byRef[ref]; known != nil {
		return known, nil
	}
	var o jsonObject
	if err := a.s.read(ctx, "/api/accounts/"+url.PathEscape(ref), nil, &o); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	a.byRef[ref] = o
	return o, nil
}

func (s *session) read(ctx context.Context, path string, query url.Values, into any) error {
	raw, err := s.api.Ask(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	return s.api.Decode(raw, into)
}

// everything reads all pages of a list.
func (s *session) everything(ctx context.Context, path string) (all []jsonObject, err error) {
	for query := (url.Values{"limit": {"1000"}}); ; {
		var page struct {
			Items      []jsonObject
			NextCursor string
		}
		if err := s.read(ctx, path, query, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

// differing returns the names of members of a that b lacks or has with another value; an empty
// value equals a missing one.
func differing(a, b jsonObject) (names []string) {
	for name, v := range a {
		if spelled(v) != spelled(b[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// spelled returns a value as JSON, "" for an empty value.
func spelled(v any) string {
	if r := reflect.ValueOf(v); !r.IsValid() || (r.Kind() == reflect.Slice || r.Kind() == reflect.Map) && r.Len() == 0 || r.IsZero() {
		return ""
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

func without(o jsonObject, names ...string) jsonObject {
	out := jsonObject{}
	for name, v := range o {
		if !slices.Contains(names, name) {
			out[name] = v
		}
	}
	return out
}

func textOf(o jsonObject, name string) string { s, _ := o[name].(string); return s }

func (s *session) accountsDiffer(ctx context.Context, d *declaration, accounts *accountsOf, _ bool) (all []wanted, err error) {
	named := map[string]string{}
	for i, item := range d.list("accounts") {
		want, _ := item.(jsonObject)
		at := d.at("accounts", fmt.Sprint(i))
		is, err := accounts.get(ctx, textOf(want, "account"), at)
		if err != nil {
			return nil, err
		}
		if earlier := named[textOf(is, "id")]; earlier != "" {
			return nil, usage("%s: the account is the one at %s; keep one", at, earlier)
		}
		named[textOf(is, "id")] = at
		body := jsonObject{}
		for _, name := range differing(without(want, "account", "policy"), is) {
			body[name] = want[name]
		}
		policy, _ := want["policy"].(jsonObject)
		now, _ := is["policy"].(jsonObject)
		changed, _ := is["changed"].([]any)
		patch := jsonObject{}
		for name, v := range policy {
			if v == nil && slices.Contains(changed, any(name)) || v != nil && spelled(v) != spelled(now[name]) {
				patch[name] = v
			}
		}
		if len(patch) > 0 {
			body["policy"] = patch
		}
		if len(body) > 0 {
			all = append(all, wanted{Action: "change", Kind: "account", Name: textOf(is, "name"), Fields: sortedNames(body), At: at,
				calls: []wantedCall{{http.MethodPatch, "/api/accounts/" + textOf(is, "id"), body}}})
		}
	}
	return all, nil
}

func sortedNames(o jsonObject) []string { return slices.Sorted(maps.Keys(o)) }

func (s *session) ownershipDiffers(ctx context.Context, d *declaration, accounts *accountsOf, _ bool) ([]wanted, error) {
	given, is := d.all["ownership"].(jsonObject)
	if !is {
		return nil, nil
	}
	var now jsonObject
	if err := s.read(ctx, "/api/ownership", nil, &now); err != nil {
		return nil, err
	}
	sla := jsonObject{}
	for _, from := range []any{now["sla"], given["sla"]} { // absent keys keep their current values
		o, _ := from.(jsonObject)
		maps.Copy(sla, o)
	}
	rules := []any{}
	for i, r := range asList(given["rules"]) {
		rule, _ := r.(jsonObject)
		rule = without(rule)
		if ref := textOf(rule, "account"); ref != "" {
			a, err := accounts.get(ctx, ref, d.at("ownership", "rules", fmt.Sprint(i), "account"))
			if err != nil {
				return nil, err
			}
			rule["account"] = cmp.Or(textOf(a, "providerId"), textOf(a, "id"))
		}
		rules = append(rules, rule)
	}
	want := jsonObject{"rules": rules, "sla": sla}
	fields := differing(want, jsonObject{"rules": now["rules"], "sla": now["sla"]})
	if len(fields) == 0 {
		return nil, nil
	}
	want["revision"] = now["revision"]
	return []wanted{{Action: "change", Kind: "ownership", Name: "of issues", Fields: fields, At: d.at("ownership"),
		calls: []wantedCall{{http.MethodPut, "/api/ownership", want}}}}, nil
}

func asList(v any) []any { list, _ := v.([]any); return list }

func (s *session) schedulesDiffer(ctx context.Context, d *declaration, accounts *accountsOf, prune bool) (all []wanted, err error) {
	if d.all["schedules"] == nil {
		return nil, nil
	}
	there, err := s.everything(ctx, "/api/schedules")
	if err != nil {
		return nil, err
	}
	key := func(o jsonObject, account string) string {
		return account + " " + textOf(o, "cron") + " " + cmp.Or(textOf(o, "timeZone"), "UTC")
	}
	byKey := map[string]jsonObject{}
	for _, is := range there {
		byKey[key(is, textOf(is, "account"))] = is
	}
	named := map[string]string{}
	for i, item := range d.list("schedules") {
		want, _ := item.(jsonObject)
		at := d.at("schedules", fmt.Sprint(i))
		account, err := accounts.get(ctx, textOf(want, "account"), at)
		if err != nil {
			return nil, err
		}
		k, name := key(want, textOf(account, "id")), textOf(account, "name")+" "+textOf(want, "cron")
		if earlier := named[k]; earlier != "" {
			return nil, usage("%s: the account has a schedule with this cron expression and time zone at %s; keep one", at, earlier)
		}
		named[k] = at
		is, known := byKey[k]
		if !known {
			all = append(all, wanted{Action: "add", Kind: "schedule", Name: name, At: at,
				calls: []wantedCall{{http.MethodPost, "/api/schedules", want}}})
			continue
		}
		body := jsonObject{}
		for _, field := range differing(without(want, "account", "cron", "timeZone", "request"), is) {
			body[field] = want[field]
		}
		request, _ := want["request"].(jsonObject)
		now, _ := is["request"].(jsonObject)
		if want["request"] != nil && len(differing(request, now))+len(differing(without(now, "account"), request)) > 0 {
			body["request"] = request
		}
		if len(body) > 0 {
			all = append(all, wanted{Action: "change", Kind: "schedule", Name: name, Fields: sortedNames(body), At: at,
				calls: []wantedCall{{http.MethodPatch, "/api/schedules/" + textOf(is, "id"), body}}})
		}
	}
	for _, is := range there {
		if k := key(is, textOf(is, "account")); prune && named[k] == "" {
			all = append(all, wanted{Action: "remove", Kind: "schedule", Name: k,
				calls: []wantedCall{{http.MethodDelete, "/api/schedules/" + textOf(is, "id"), nil}}})
		}
	}
	return all, nil
}

// exceptionsDiffer identifies exceptions by their account and match. A changed exception is
// replaced, because exceptions cannot be changed.
func (s *session) exceptionsDiffer(ctx context.Context, d *declaration, accounts *accountsOf, prune bool) (all []wanted, err error) {
	if d.all["exceptions"] == nil {
		return nil, nil
	}
	there, err := s.everything(ctx, "/api/exceptions")
	if err != nil {
		return nil, err
	}
	there = slices.DeleteFunc(there, func(o jsonObject) bool { return textOf(o, "state") != "active" })
	byKey := map[string]jsonObject{}
	for _, is := range there {
		byKey[exceptionKey(is)] = is
	}
	named := map[string]string{}
	for i, item := range d.list("exceptions") {
		want, _ := item.(jsonObject)
		want = without(want)
		at := d.at("exceptions", fmt.Sprint(i))
		if ref := textOf(want, "account"); ref != "" {
			account, err := accounts.get(ctx, ref, at)
			if err != nil {
				return nil, err
			}
			want["account"] = cmp.Or(textOf(account, "providerId"), textOf(account, "id"))
		}
		if day, is := want["expiresAt"].(string); is {
			ends, err := endOf(day)
			if err != nil {
				return nil, usage("%s: %q is no date; write it as in 2027-01-31 or 2027-01-31T12:00:00Z",
					d.at("exceptions", fmt.Sprint(i), "expiresAt"), clipped(day))
			}
			want["expiresAt"] = ends.Format(time.RFC3339)
		}
		k := exceptionKey(want)
		if earlier := named[k]; earlier != "" {
			return nil, usage("%s: an exception of the same account matches the same at %s; keep one", at, earlier)
		}
		named[k] = at
		is, known := byKey[k]
		post := wantedCall{http.MethodPost, "/api/exceptions", want}
		change := wanted{Action: "add", Kind: "exception", Name: nameOfException(want), At: at, calls: []wantedCall{post}}
		if known {
			fields := differing(jsonObject{"reason": want["reason"], "owner": want["owner"], "expiresAt": want["expiresAt"]}, is)
			if len(fields) == 0 {
				continue
			}
			change.Action, change.Fields = "change", fields
			change.calls = []wantedCall{post, {http.MethodDelete, "/api/exceptions/" + textOf(is, "id"), nil}}
		}
		all = append(all, change)
	}
	for _, is := range there {
		if prune && named[exceptionKey(is)] == "" {
			all = append(all, wanted{Action: "remove", Kind: "exception", Name: nameOfException(is),
				calls: []wantedCall{{http.MethodDelete, "/api/exceptions/" + textOf(is, "id"), nil}}})
		}
	}
	return all, nil
}

// endOf parses an instant, or a day, which ends with its last moment in UTC.
func endOf(s string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	return time.Parse(time.RFC3339, s)
}

// exceptionKey identifies what an exception covers, independent of the order in which it is written.
func exceptionKey(o jsonObject) string {
	match, _ := o["match"].(jsonObject)
	parts := []string{textOf(o, "account")}
	for _, name := range sortedNames(match) {
		var words []string
		for _, v := range asList(match[name]) {
			words = append(words, fmt.Sprint(v))
		}
		slices.Sort(words)
		if pattern, is := match[name].(string); is {
			words = []string{pattern}
		}
		if len(words) > 0 {
			parts = append(parts, name+"="+strings.Join(words, ","))
		}
	}
	return strings.Join(parts, " ")
}

func nameOfException(o jsonObject) string {
	_, about, _ := strings.Cut(exceptionKey(o), " ")
	return about + " in " + cmp.Or(textOf(o, "account"), "all accounts")
}
