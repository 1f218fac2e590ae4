package snapshot

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// knows shows a source the sections given.
func knows(sections ...Section) *Known {
	return NewKnown(func(source, scope string) (Section, bool) {
		for _, s := range sections {
			if s.Source == source && s.Scope == scope {
				return s, true
			}
		}
		return Section{}, false
	})
}

func section[T any](t *testing.T, k Key[T], scope string, value T) Section {
	t.Helper()
	raw, err := Canonical(value)
	require.NoError(t, err)
	return Section{Source: k.Source(), Scope: scope, Status: OK, Value: raw}
}

func TestLocksAreReadWhereLogsMayBe(t *testing.T) {
	zones := func(plan string) Section {
		return section(t, ZoneList, "a", []Zone{{ID: "z1", Plan: plan}})
	}
	accountJobs := section(t, AccountLogpushJobs, "a", []LogpushJob{{ID: 1, Destination: "s3://files"}, {ID: 2, Destination: "r2://files"}})
	none := section(t, AccountLogpushJobs, "a", []LogpushJob{})
	zoneJobs := section(t, ZoneLogpushJobs, "z1", []LogpushJob{{ID: 3, Destination: "r2://streams"}})
	skip := SourceOf(R2Lock).Skip
	for _, tc := range []struct {
		bucket string
		known  *Known
		read   bool
	}{
		{"edge-logs", knows(), true}, {"backup2026", knows(zones("free"), none), true}, {"catalog", knows(zones("free"), none), false},
		{"files", knows(zones("free"), accountJobs), true}, {"other", knows(zones("free"), accountJobs), false},
		{"streams", knows(zones("enterprise"), none, zoneJobs), true}, {"other", knows(zones("enterprise"), none, zoneJobs), false},
		{"other", knows(zones("enterprise"), none), true}, {"other", knows(zones("free")), true}, {"other", knows(none), true},
	} {
		require.Equal(t, tc.read, skip(tc.known, SourceScope{AccountID: "a", Item: tc.bucket}) == "", tc.bucket)
	}
}

// TestUnknownPlanReadsWhatItMayHave: a plan that is none of the four may include what an enterprise plan includes.
func TestUnknownPlanReadsWhatItMayHave(t *testing.T) {
	s := Source{Name: ZoneLogpushJobs.Source(), Plans: []string{"enterprise"}}
	for plan, read := range map[string]bool{"enterprise": true, "pro": false, "growth": true, "": true} {
		z := Zone{ID: "z1", Plan: plan}
		require.Equal(t, read, s.SkipReason(nil, SourceScope{Zone: z}) == "", plan)
		require.Equal(t, read, SingleRead{Plans: s.Plans}.For(z, false), plan)
		require.False(t, SingleRead{Plans: []string{"none"}}.For(z, false), plan)
		list := section(t, ZoneList, "a", []Zone{z})
		k := NewKnown(func(source, _ string) (Section, bool) { return list, source == list.Source })
		require.Equal(t, read, noEnterpriseZone()(k, SourceScope{AccountID: "a"}) == "", plan)
	}
}

// TestNamelessItemsHaveTheirIDForAName: sentences name a notification and a token, and Cloudflare's schema has the name optional.
func TestNamelessItemsHaveTheirIDForAName(t *testing.T) {
	for _, name := range []string{AlertPolicies.Source(), AccountTokens.Source(), UserTokens.Source()} {
		i := slices.IndexFunc(Sources(), func(s Source) bool { return s.Name == name })
		for raw, want := range map[string]string{`[{"id":"p1"}]`: `"name":"p1"`, `[{"id":"p1","name":""}]`: `"name":"p1"`,
			`[{"id":"p1","name":"certs"}]`: `"name":"certs"`} {
			got, err := Sources()[i].Decode(json.RawMessage(raw))
			require.NoError(t, err)
			require.Contains(t, string(got), want, name)
		}
	}
}

func TestTokenResourcesNameNestedKeys(t *testing.T) {
	const account, zone = `"com.cloudflare.api.account.1"`, `"com.cloudflare.api.account.zone.`
	for resources, want := range map[string]string{
		account + `:{` + zone + `*":"*"}`:                                        account + `,` + zone + `*"`,
		account + `:{` + zone + `2":"*"}`:                                        zone + `2"`,
		account + `:"*",` + zone + `2":"*"`:                                      account,
		account + `:"*","com.cloudflare.api.account.3":{` + zone + `2":"*"}`:     account,
		`"com.cloudflare.api.account.*":{` + zone + `2":"*",` + zone + `3":"*"}`: zone + `2",` + zone + `3"`,
		`"com.cloudflare.api.user.4":"*"`:                                        `"com.cloudflare.api.user.4"`,
	} {
		got, err := SourceOf(UserTokens).Decode(json.RawMessage(`[{"id":"t","policies":[{"effect":"allow","resources":{` + resources + `}}]}]`))
		require.NoError(t, err)
		require.Contains(t, string(got), `"resources":[`+want+`]`, resources)
	}
}

func TestExamplesDropWhatIsNotNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Sources() {
		t.Run(s.Name, func(t *testing.T) {
			require.False(t, seen[s.Name], "the source is listed twice")
			seen[s.Name] = true
			require.NotEmpty(t, s.Example)
			require.NotEmpty(t, s.Permission)
			got, err := s.Decode(json.RawMessage(s.Example))
			require.NoError(t, err)
			require.NotContains(t, string(got), "drop", "a field that is not kept came through")
			require.Greater(t, len(got), 4)
			again, err := s.Decode(json.RawMessage(s.Example))
			require.NoError(t, err)
			require.Equal(t, string(got), string(again))
			for _, empty := range []string{"null", ""} {
				_, err := s.Decode(json.RawMessage(empty))
				require.NoError(t, err)
			}
		})
	}
}

func TestSourcesLookAtSourcesThatExist(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Sources() {
		names[s.Name] = true
	}
	for _, s := range Sources() {
		for _, other := range s.After {
			require.True(t, names[other], "%s comes after %s, which is no source", s.Name, other)
		}
		require.Equal(t, s.Parent != "", s.Items != nil, s.Name)
		require.True(t, s.Parent == "" || names[s.Parent], "%s has the parent %s, which is no source", s.Name, s.Parent)
	}
}

func TestSnippetLiterals(t *testing.T) {
	s := newScanner(credential.New())
	for line, want := range map[string]int{
		`const apiToken = "abcdefghijklmnopqrstu"`: 1, `const apiToken = "abcdefghijklmnopqrst"`: 0,
		`{ "client_secret": 'abcdefghijklmnopqrstuvwxyz' }`: 1,
		"this.passwordHash = `abcdefghijklmnopqrstuvwxyz`":  1, `const greeting = "abcdefghijklmnopqrstuvwxyz"`: 0,
		`if (password === other) {}`:                                 0,
		`// the word password and "a long text of more than twenty"`: 0, `const t = env.API_TOKEN`: 0,
	} {
		require.Len(t, s.text(line), want, line)
	}
}

func TestCounters(t *testing.T) {
	for raw, want := range map[string]int{`3`: 3, `[{"id":1},{"id":2}]`: 2, `{"count":4}`: 4, `{"total":5}`: 5, `null`: -1, ``: -1,
		`"many"`: -1, `{}`: -1} {
		got := counted(json.RawMessage(raw))
		if want < 0 {
			require.Nil(t, got, raw)
			continue
		}
		require.NotNil(t, got, raw)
		require.Equal(t, want, *got, raw)
	}
}

func TestContactSchemes(t *testing.T) {
	for contact, want := range map[string]string{
		"mailto:security@acme.example": "mailto", "HTTPS://acme.example/report": "https", "tel:+49-30-1234": "tel",
		"http://acme.example":   "other",
		"security@acme.example": "other", "mailto:nobody": "other", "https://": "other", "": "other", "%": "other",
	} {
		require.Equal(t, want, contactScheme(contact), contact)
	}
}

func TestHostnamesWithoutACertificate(t *testing.T) {
	got, err := SourceOf(ZoneCustomHostnames).Decode(json.RawMessage(`[{"id":"h1","hostname":"a.example","status":"pending","ssl":null}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":"h1","hostname":"a.example","status":"pending"}]`, string(got))
}

func TestBalancersNameEveryPool(t *testing.T) {
	got, err := SourceOf(ZoneLoadBalancers).Decode(json.RawMessage(`[{"id":"l1","default_pools":["a"],"fallback_pool":"b",
"pop_pools":{"FRA":["c"]},"country_pools":{"DE":["a","d"]},
		"rules":[{"overrides":{"default_pools":["e"],"region_pools":{"OC":["f"]}}}]}]`))
	require.NoError(t, err)
	require.Contains(t, string(got), `"pools":["a","b","c","d","e","f"]`)
	require.Contains(t, string(got), `"enabled":true`)
	for body, want := range map[string]string{
		`"pool_sets":[{"match":{"default":true},"overrides":{"pools":["b"],"fallback_pool":"c"}},
			{"disabled":true,"overrides":{"pools":["d"]}}]`: `["a","b","c"]`,
		`"rules":[{"overrides":{"pools":["b"]}},{"disabled":true,"overrides":{"default_pools":["c"]}}]`:          `["a","b"]`,
		`"steering_policy":"random","region_pools":{"OC":["b"]}`:                                                 `["a"]`,
		`"steering_policy":"geo","region_pools":{"OC":["b"]}`:                                                    `["a","b"]`,
		`"steering_policy":"off","rules":[{"overrides":{"steering_policy":"geo","country_pools":{"DE":["b"]}}}]`: `["a","b"]`,
		`"steering_policy":"random","rules":[{"overrides":{"country_pools":{"DE":["b"]}}}]`:                      `["a"]`,
		`"pool_sets":null,"rules":null,"pop_pools":null`:                                                         `["a"]`,
	} {
		got, err := SourceOf(ZoneLoadBalancers).Decode(json.RawMessage(`[{"id":"l1","default_pools":["a"],` + body + `}]`))
		require.NoError(t, err)
		require.Contains(t, string(got), `"pools":`+want, body)
	}
}
