package simcloud

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
)

// patient is an account with one finding and a token that may write.
type patient struct {
	t    *testing.T
	cl   *Cloud
	a, z string // paths of the account and its zone
	id   string // of the resource the finding is about
	sent []request
}

// request is one write as it was sent.
type request struct{ method, path, body string }

// newPatient plants one finding on an account of one zone.
func newPatient(t *testing.T, tc remedyCase) *patient {
	t.Helper()
	plan := cmp.Or(tc.plan, "enterprise")
	cl := New(Options{Seed: 11, Now: fixedNow, Limit: Limit{Disabled: true}, Tokens: []Token{{CanWrite: true}}, Accounts: []AccountSpec{{
		Zones: 1, Plans: []string{plan}, Plants: []PlantRule{{CheckID: tc.check, Variant: tc.variant}},
	}}})
	account := cl.Accounts()[0]
	p := &patient{t: t, cl: cl, a: "/accounts/" + account, z: "/zones/" + cl.ZoneIDs(account)[0]}
	for _, found := range cl.Truth(account) {
		if found.CheckID == tc.check {
			p.id = found.ResourceID
		}
	}
	require.NotEmpty(t, p.id, "%s is not planted", tc.check)
	return p
}

// do makes one request that must work and decodes its result.
func (p *patient) do(method, path string, body any) any {
	p.t.Helper()
	text := ""
	if body != nil {
		text = string(mustJSON(body))
	}
	if changes(method) {
		p.sent = append(p.sent, request{method, path, text})
	}
	got := sendAs(p.t, p.cl, method, path, text)
	require.Equal(p.t, http.StatusOK, got.Status, "%s %s %s: %s", method, path, text, got.Raw)
	var out any
	require.NoError(p.t, json.Unmarshal(got.Result, &out))
	return out
}

func (p *patient) get(path string) obj {
	p.t.Helper()
	o, _ := p.do("GET", path, nil).(obj)
	require.NotNil(p.t, o, path)
	return o
}

// list reads a list; the result may hold it under a name.
func (p *patient) list(path string) []obj {
	p.t.Helper()
	list := objects(p.do("GET", path, nil))
	require.NotEmpty(p.t, list, path)
	return list
}

// state is what a client can read now.
func (p *patient) state() string { return string(p.cl.State(p.cl.Accounts()[0])) }

// same compares two states and tells the first line in which they differ.
func (p *patient) same(want, got string) {
	p.t.Helper()
	if want == got {
		return
	}
	old, now := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(old), len(now)) {
		require.Equal(p.t, old[i], now[i], "line %d: %s", i, strings.Join(old[max(0, i-12):i], "\n"))
	}
	require.Len(p.t, now, len(old))
}

// differs checks that two states are not the same, without printing either.
func (p *patient) differs(before, now, why string) {
	p.t.Helper()
	same := before == now
	require.False(p.t, same, why)
}

// on looks up which resource to treat where the finding is about what holds it.
func on(which func(p *patient) string, treat treatment) treatment {
	return func(p *patient) func() {
		p.id = which(p)
		require.NotEmpty(p.t, p.id)
		return treat(p)
	}
}

// treatment makes the change of a remedy and returns its inverse, nil where the
// catalogue has none.
type treatment func(p *patient) (undo func())

// remedyCase is one remedy of the catalogue on the finding it is for.
type remedyCase struct {
	check, variant, plan string
	treat                treatment
}

func remedyCases() []remedyCase {
	return slices.Concat(remediesOfAccounts(), remediesOfAccess(), remediesOfAlerts(), remediesOfZones(), remediesOfSettings(),
		remediesOfRules())
}

// operation is the first write of a list as method and path.
func operation(w Write) string { return w.Method + " " + strings.TrimPrefix(w.Path, BasePath) }

// shape turns an operation of the catalogue into an expression for requests.
func shape(operation string) *regexp.Regexp {
	pattern := strings.NewReplacer("{accounts_or_zones}", "(accounts|zones)").Replace(operation)
	return regexp.MustCompile("^" + regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(pattern, "[^/]+") + "$")
}

// TestSweepRemediesStickAndCanBeTakenBack makes the change of every remedy, looks
// that the state differs, and takes it back.
func TestSweepRemediesStickAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	byID := map[string]remedyCase{}
	for _, tc := range remedyCases() {
		byID[tc.check] = tc
		t.Run(strings.TrimSuffix(tc.check+"/"+tc.variant, "/"), func(t *testing.T) {
			t.Parallel()
			p := newPatient(t, tc)
			before := p.state()
			p.same(before, p.state())
			p.cl.ResetWrites()
			undo := tc.treat(p)
			between := p.state()
			p.differs(before, between, "the state tells nothing of the change")
			if tc.variant != "account" { // which the catalogue means to be read alike
				require.Regexp(t, shape(remedyOf(t, tc.check)), operation(p.cl.Writes()[0]))
			}
			if undo == nil {
				return
			}
			undo()
			p.same(before, p.state())
		})
	}
	for _, c := range checks.All() {
		if c.Remedy != nil && slices.Contains(Covered(), c.ID) {
			require.Contains(t, byID, c.ID, "a remedy without a case")
		}
		if c.Remedy != nil {
			delete(byID, c.ID)
		}
	}
	require.Empty(t, byID, "a case without a remedy")
}

func remedyOf(t *testing.T, id string) string {
	t.Helper()
	for _, c := range checks.All() {
		if c.ID == id && c.Remedy != nil {
			return c.Remedy.Operation
		}
	}
	require.Fail(t, "no remedy", id)
	return ""
}

// switched writes members and then the values they had; read gives the object
// they are in.
func switched(method string, path, read func(*patient) string, members obj) treatment {
	return func(p *patient) func() {
		old, back := p.get(read(p)), obj{}
		for k := range members {
			back[k] = old[k]
		}
		p.do(method, path(p), members)
		now := p.get(read(p))
		for k, v := range members {
			require.Equal(p.t, string(mustJSON(v)), string(mustJSON(now[k])), k)
		}
		return func() { p.do(method, path(p), back) }
	}
}

// inZone and inAccount are paths below them; %s is the resource of the finding.
func inZone(path string) func(*patient) string {
	return func(p *patient) string { return p.z + strings.ReplaceAll(path, "%s", p.id) }
}

func inAccount(path string) func(*patient) string {
	return func(p *patient) string { return p.a + strings.ReplaceAll(path, "%s", p.id) }
}

// whole puts an object with other members in place and then the one as read.
func whole(path func(*patient) string, members obj) treatment {
	return func(p *patient) func() {
		old := p.get(path(p))
		p.do("PUT", path(p), merged(old, members))
		for k, v := range members {
			require.Equal(p.t, string(mustJSON(v)), string(mustJSON(p.get(path(p))[k])), k)
		}
		return func() { p.do("PUT", path(p), old) }
	}
}

// madeBy creates an object and deletes it again by the id of the answer.
func madeBy(path func(*patient) string, body func(*patient) obj) treatment {
	return func(p *patient) func() {
		made, _ := p.do("POST", path(p), body(p)).(obj)
		one := path(p) + "/" + asText(made["id"])
		p.get(one)
		return func() {
			p.do("DELETE", one, nil)
			require.Equal(p.t, http.StatusNotFound, sendAs(p.t, p.cl, "GET", one, "").Status)
		}
	}
}

// gone deletes an object and makes it again out of what was read.
func gone(collection func(*patient) string, body func(old obj) any) treatment {
	return func(p *patient) func() {
		one := collection(p) + "/" + p.id
		old := p.get(one)
		p.do("DELETE", one, nil)
		require.Equal(p.t, http.StatusNotFound, sendAs(p.t, p.cl, "GET", one, "").Status)
		return func() { p.do("POST", collection(p), body(old)) }
	}
}

func later(d time.Duration) string { return stamp(fixedNow().Add(d)) }
