package assess

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
)

// only holds the state after an apply against the one before: what differs is a
// member an edit names, within the object it names, or an object it makes or
// deletes. Everything else of the account is as it was.
func (w *workshop) only(before string, b change.Bundle) {
	w.t.Helper()
	var old, now any
	require.NoError(w.t, json.Unmarshal([]byte(before), &old))
	require.NoError(w.t, json.Unmarshal([]byte(w.state()), &now))
	named, objects := map[string]bool{}, 0
	for _, e := range b.Entries {
		for _, side := range []json.RawMessage{e.Edit.Before, e.Edit.After} {
			v, err := change.Decode(side)
			require.NoError(w.t, err)
			if members, ok := v.(map[string]any); ok {
				membersOf(members, named)
			} else {
				objects++
			}
		}
	}
	// What the provider itself does on such a change.
	follows := map[string]string{
		"CFL-SEC-001":   "/security-center/securitytxt",  // the rest of a file that was not there
		"CFL-SSL-015":   "/ssl/certificate_packs",        // the pack is issued
		"CFL-WAF-003":   "entry point of http_ratelimit", // made with the first rule
		"CFL-EMAIL-001": "/email/auth/spf/inspect",       // what the provider says of the record
		"CFL-ZT-015":    "app_count",                     // of the policy that is attached
		"CFL-ZONE-002":  "development_mode",              // the zone shows the setting too
	}[b.Entries[0].Change.CheckID]
	for _, path := range differences("", old, now) {
		if follows != "" && strings.Contains(path, follows) {
			continue
		}
		ok := slices.ContainsFunc(strings.Split(path, "\x00"), func(part string) bool { return named[part] })
		require.True(w.t, ok || objects > 0 && strings.HasSuffix(path, "\x00#"), "%s also changed %s", b.Entries[0].Change.CheckID,
			strings.ReplaceAll(path, "\x00", " / "))
	}
}

func membersOf(members map[string]any, into map[string]bool) {
	for name, v := range members {
		into[name] = true
		if inner, ok := v.(map[string]any); ok {
			membersOf(inner, into)
		}
	}
}

// differences gives the paths at which two values differ; # stands for a member of
// a list that only one has.
func differences(at string, x, y any) (out []string) {
	xo, xIs := x.(map[string]any)
	yo, yIs := y.(map[string]any)
	if xIs && yIs {
		for name := range xo {
			out = append(out, differences(at+"\x00"+name, xo[name], yo[name])...)
		}
		for name := range yo {
			if _, both := xo[name]; !both {
				out = append(out, at+"\x00"+name)
			}
		}
		return out
	}
	xl, xIs := x.([]any)
	yl, yIs := y.([]any)
	if xIs && yIs && len(xl) == len(yl) {
		for i := range xl {
			out = append(out, differences(at+fmt.Sprint("\x00", i), xl[i], yl[i])...)
		}
		return out
	}
	if xIs && yIs {
		long, short := xl, yl
		if len(short) > len(long) {
			long, short = short, long
		}
		rest := map[string]int{}
		for _, v := range long {
			rest[string(change.Encode(v))]++
		}
		for _, v := range short {
			if key := string(change.Encode(v)); rest[key] > 0 {
				rest[key]--
			} else {
				out = append(out, at+"\x00"+key) // in the shorter list only: something else changed too
			}
		}
		return append(out, at+"\x00#")
	}
	if string(change.Encode(x)) != string(change.Encode(y)) {
		out = append(out, at)
	}
	return out
}
