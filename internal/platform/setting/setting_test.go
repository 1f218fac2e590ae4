package setting

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// TestKeysAreTheContract holds names, variables and secrecy against the list
// callers were promised.
func TestKeysAreTheContract(t *testing.T) {
	var got []string
	for _, d := range Definitions() {
		star := ""
		if d.Secret {
			star = "*"
		}
		got = append(got, string(d.Key)+star+"="+d.Env)
		require.NotEmpty(t, d.Doc)
		if d.For != "" {
			_, known := Define(d.For)
			require.True(t, known)
		}
	}
	require.Subset(t, got, strings.Fields(`
		chatAWebhook*=SERVICE_CHAT_A_WEBHOOK chatBWebhook*=SERVICE_CHAT_B_WEBHOOK webhookUrl*=SERVICE_WEBHOOK_URL
		webhookSecret*=SERVICE_WEBHOOK_SECRET notifyThreshold=SERVICE_NOTIFY_THRESHOLD aiProvider=SERVICE_AI_PROVIDER aiModel=SERVICE_AI_MODEL
		hostedAApiKey*=HOSTED_A_API_KEY hostedBApiKey*=HOSTED_B_API_KEY localModelHost=LOCAL_MODEL_HOST searchUrl=SERVICE_SEARCH_URL
		searchApiKey*=SERVICE_SEARCH_APIKEY searchUsername=SERVICE_SEARCH_USERNAME searchPassword*=SERVICE_SEARCH_PASSWORD
		hecUrl=SERVICE_SIEM_HEC_URL hecToken*=SERVICE_SIEM_HEC_TOKEN`))
}

// TestResolution walks every key through nothing, environment, saved over
// environment, cleared, and saved alone.
func TestResolution(t *testing.T) {
	for _, d := range Definitions() {
		t.Run(string(d.Key), func(t *testing.T) {
			one, two := sample(d)
			read := func(o *Overlay) Info {
				v, err := o.Read(t.Context())
				require.NoError(t, err)
				entries := v.Entries()
				require.Len(t, entries, len(Definitions()))
				raw, err := json.Marshal(entries)
				require.NoError(t, err)
				safe(t, string(raw))
				value, source := v.Value(d.Key)
				if d.For != "" {
					require.True(t, value.IsZero(), "a credential without an address")
				} else {
					require.Equal(t, entries[d.Key].Source, source)
				}
				return entries[d.Key]
			}
			hold := func(e Info, source Source, value string) {
				require.Equal(t, source, e.Source)
				require.Equal(t, source != FromNone, e.Configured)
				if source == FromNone {
					require.Nil(t, e.Hint)
					require.Empty(t, e.Value)
					return
				}
				require.Equal(t, secret.New(value).Hint(), *e.Hint)
				if d.Secret {
					require.Empty(t, e.Value)
				} else {
					require.Equal(t, value, e.Value)
				}
			}
			o := overlay(t, nil)
			hold(read(o), FromNone, "")
			with := New(Options{Path: o.file.path, Key: o.file.key, Random: o.file.random, Numbers: o.numbers,
				Environment: Environment{d.Key: secret.New(one)}})
			hold(read(with), FromEnv, one)
			_, err := put(t, with, map[string]any{string(d.Key): two})
			require.NoError(t, err)
			hold(read(with), FromSettings, two)
			hold(read(o), FromSettings, two)
			_, err = put(t, with, map[string]any{string(d.Key): ""})
			require.NoError(t, err)
			hold(read(with), FromEnv, one)
			hold(read(o), FromNone, "")
			_, err = put(t, with, map[string]any{string(d.Key): ""})
			require.NoError(t, err, "clearing what is clear")
		})
	}
}

// TestPartial: what a change does not name stays.
func TestPartial(t *testing.T) {
	o := overlay(t, nil)
	_, err := put(t, o, everything(false))
	require.NoError(t, err)
	after, err := put(t, o, map[string]any{"aiModel": "other", "hecToken": "", "notifyThreshold": "info"})
	require.NoError(t, err)
	read, err := o.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, after.Entries(), read.Entries())
	safe(t, fmt.Sprintf("%v %+v %#v", after, after, o))
	for _, d := range Definitions() {
		one, _ := sample(d)
		e := read.Entries()[d.Key]
		switch d.Key {
		case AIModel:
			require.Equal(t, "other", e.Value)
		case HECToken:
			require.False(t, e.Configured)
		case NotifyThreshold:
			require.Equal(t, "informational", e.Value, "the alias is written out")
		default:
			require.Equal(t, secret.New(one).Hint(), *e.Hint)
		}
	}
	_, err = o.Change(t.Context(), []byte(`{}`))
	require.NoError(t, err)
}

// TestRefused: every wrong change names its place, repeats no value and saves
// nothing, not even its good parts.
func TestRefused(t *testing.T) {
	long := strings.Repeat("canary", 200_000)
	cases := map[string]struct{ body, at string }{
		"not an object": {`["canary"]`, "body"}, "a text": {`"canary"`, "body"}, "null": {`null`, "body"}, "a number": {`7`, "body"},
		"two objects": {`{"aiModel":"x"} {"aiModel":"y"}`, "body"}, "more": {`{"aiModel":"x"}]`, "body"}, "nothing": {``, "body"},
		"cut off": {`{"hecToken":"canary`, "body"},
		"number":  {`{"hecToken":5}`, "body.hecToken"}, "null value": {`{"hecToken":null}`, "body.hecToken"},
		"truth":  {`{"aiModel":true}`, "body.aiModel"},
		"nested": {`{"hecToken":{"value":"canary"}}`, "body.hecToken"}, "list": {`{"hecToken":["canary"]}`, "body.hecToken"},
		"twice": {`{"hecToken":"canary1","hecToken":"canary2"}`, "body.hecToken"}, "case": {`{"HecToken":"canary"}`, "body.HecToken"},
		"empty key":   {`{"":"canary"}`, "body."},
		"1 MB secret": {`{"hecToken":"` + long + `"}`, "body.hecToken"}, "1 MB URL": {`{"searchUrl":"https://x.example/` + long + `"}`,
			"body.searchUrl"},
		"1 MB key":  {`{"` + strings.Repeat("k", 1<<20) + `":"canary"}`, "body." + strings.Repeat("k", 64) + "…"},
		"long name": {`{"aiModel":"` + strings.Repeat("m", 201) + `"}`, "body.aiModel"},
		"prototype": {`{"__proto__":"canary"}`, "body.__proto__"}, "not UTF-8": {"{\"searchPassword\":\"canary\xff\"}", "body.searchPassword"},
		"hook with fragment": {`{"webhookUrl":"https://hooks.example/canary#x"}`, "body.webhookUrl"},
		"base with query":    {`{"searchUrl":"https://hooks.example/canary?x=y"}`, "body.searchUrl"},
		"base with ?":        {`{"hecUrl":"https://hooks.example/canary?"}`, "body.hecUrl"}, "colon in user": {`{"searchUsername":"canary:x"}`,
			"body.searchUsername"},
	}
	for _, gate := range []string{"SERVICE_ALLOW_REMEDIATION", "SERVICE_EDIT_SCOPE", "SERVICE_EDIT_SCOPE_JWT_SECRET",
		"SERVICE_EDIT_SCOPE_JWKS", "SERVICE_OUTBOUND_ALLOW", "SERVICE_API_KEY", "SERVICE_HEC_TOKEN", "allowRemediation", "remediation",
		"editScope", "editScopeSecret", "outboundAllow", "apiKey", "encryptionKey", "settings", "dataDir"} {
		cases["gate "+gate] = struct{ body, at string }{`{"` + gate + `":"true"}`, "body." + gate}
	}
	for _, url := range []string{"canary", "ftp://hooks.example/canary", "https://canary:canary@hooks.example",
		"https://hooks.example/ canary", "http://0177.0.0.1/canary", "http://2130706433", "https://[::1%25lo]", "javascript:alert(1)",
		"https://", "//hooks.example/canary"} {
		for _, k := range append(channelAddresses(), SearchURL, HECURL, LocalModelHost) {
			cases[string(k)+" "+url] = struct{ body, at string }{fmt.Sprintf(`{%q:%q}`, k, url), "body." + string(k)}
		}
	}
	for _, d := range Definitions() {
		cases["line break in "+string(d.Key)] = struct{ body, at string }{fmt.Sprintf(`{%q:"canary\r\nX: y"}`, d.Key), "body." + string(d.Key)}
		cases["NUL in "+string(d.Key)] = struct{ body, at string }{fmt.Sprintf(`{%q:"canary\u0000"}`, d.Key), "body." + string(d.Key)}
	}
	for _, bad := range []string{`{"notifyThreshold":"canary"}`, `{"notifyThreshold":"HIGH"}`, `{"aiProvider":"canary"}`,
		`{"aiProvider":"Local"}`, `{"aiModel":" x"}`, `{"hecToken":"canary x"}`, `{"searchApiKey":"canäry"}`} {
		cases[bad] = struct{ body, at string }{bad, "body." + strings.Split(bad, `"`)[1]}
	}
	o := overlay(t, nil)
	before, err := put(t, o, everything(false))
	require.NoError(t, err)
	for name, tc := range cases {
		_, err := o.Change(t.Context(), []byte(tc.body))
		p := problemOf(t, err)
		require.Equal(t, posture.CodeInvalid, p.Code, name)
		require.Equal(t, tc.at, p.Errors[0].Location, name)
		require.Less(t, len(p.Detail), 400, name)
		for _, e := range p.Errors {
			require.Nil(t, e.Value, name)
		}
	}
	_, err = put(t, o, map[string]any{"aiModel": "good", "hecUrl": "bad", "odd": "x", "hecToken": "canary-good-token"})
	p := problemOf(t, err)
	require.Len(t, p.Errors, 2)
	many := map[string]any{}
	for i := range 10_000 {
		many[fmt.Sprintf("odd%05d", i)] = "x"
	}
	_, err = put(t, o, many)
	require.Len(t, problemOf(t, err).Errors, maxErrors)
	after, err := o.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after, "a refused change changes nothing")
	t.Logf("%d wrong changes", len(cases))
}

// TestLongest takes every key at its longest and reads the file back.
func TestLongest(t *testing.T) {
	o := overlay(t, nil)
	all := map[string]any{"aiModel": strings.Repeat("m", maxName), "searchUsername": strings.Repeat("u", maxName),
		"searchPassword": strings.Repeat("p ", maxSecret/2), "webhookSecret": strings.Repeat("é", maxSecret/2)}
	for _, k := range []Key{HECToken, SearchAPIKey, HostedAAPIKey, HostedBAPIKey} {
		all[string(k)] = strings.Repeat("t", maxSecret)
	}
	for _, k := range append(channelAddresses(), SearchURL, HECURL, LocalModelHost) {
		all[string(k)] = "https://long.example/" + strings.Repeat("u", maxURL-21)
	}
	_, err := put(t, o, all)
	require.NoError(t, err)
	v, err := o.Read(t.Context())
	require.NoError(t, err)
	for k, want := range all {
		got, source := v.find(Key(k))
		require.Equal(t, FromSettings, source)
		require.Equal(t, want, got.Reveal())
	}
}

// FuzzChange: any body is either refused or gives values that are accepted again.
func FuzzChange(f *testing.F) {
	f.Add([]byte(`{"searchUrl":"https://search.example:9200","hecToken":"","notifyThreshold":"info"}`))
	f.Add([]byte(`{"hecToken":"a","hecToken":"b"}`))
	f.Add([]byte(`{"a":{"b":[1,2,{}]}} `))
	f.Fuzz(func(t *testing.T, body []byte) {
		defer fuzztest.Bound(t)()
		c, err := parse(body)
		if err != nil {
			require.Nil(t, c)
			require.NotEmpty(t, problemOf(t, err).Detail)
			return
		}
		require.True(t, json.Valid(body))
		for k, value := range c {
			d, known := Define(k)
			require.True(t, known)
			if !value.IsZero() {
				again, err := d.Check(value.Reveal())
				require.NoError(t, err)
				require.Equal(t, value.Reveal(), again)
			}
		}
	})
}
