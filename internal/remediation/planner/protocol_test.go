package planner

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

//nolint:gochecknoglobals // a flag of the tests
var update = flag.Bool("update", false, "write the golden files anew")

// TestProtocols answers with the shape each provider documents and holds the
// request against a golden file and against Preview.
func TestProtocols(t *testing.T) {
	for name, want := range map[string]struct {
		path, header, value string
	}{
		hostedA: {"/v1/messages", "X-Api-Key", canaryKey},
		hostedB: {"/v1/chat/completions", "Authorization", "Bearer " + canaryKey},
		local:   {"/api/chat", "Accept", "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := os.ReadFile(filepath.Join("testdata", name+".answer.json"))
			require.NoError(t, err)
			p, requests := provider(t, name, says(http.StatusOK, string(answer)))
			p.words = map[string]words{ // the golden files do not change with the catalogue
				"CFL-SSL-001": {"CFL-SSL-001", "Traffic to the origin is encrypted", "zone", "PATCH /zones/{zone_id}/settings/ssl",
					"Hosts need a certificate."},
				"CFL-DNS-001": {"CFL-DNS-001", "The zone is signed", "zone", "PATCH /zones/{zone_id}/dnssec", ""},
			}
			preview := p.Preview(sample())
			a := p.Advise(t.Context(), sample())
			holds(t, sample(), a)
			require.True(t, a.Used, a.Note)
			require.Equal(t, name, a.Provider)
			require.Empty(t, a.Note)
			require.Equal(t, []string{"0198-c", "0198-a", "0198-b", "0198-d"}, a.Order)
			require.Equal(t, map[string]string{"0198-c": "Check that the server accepts traffic from the proxy first."}, a.Notes)

			all := requests()
			require.Len(t, all, 1, "one attempt")
			require.Equal(t, http.MethodPost, all[0].Method)
			require.Equal(t, want.path, all[0].Path)
			require.Equal(t, want.value, all[0].Header.Get(want.header))
			require.Equal(t, "application/json", all[0].Header.Get("Content-Type"))
			if name == hostedA {
				require.Equal(t, "2023-06-01", all[0].Header.Get("Anthropic-Version"))
			}
			if name == local {
				require.Empty(t, all[0].Header.Get("Authorization"))
			}
			require.Equal(t, string(preview), string(all[0].Body), "what is shown is what is sent")
			require.NotContains(t, string(preview), canaryKey)
			golden(t, name+".request.json", preview)
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, got, "", "  "))
	pretty.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, pretty.Bytes(), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), pretty.String(), "run with -update when the change is meant")
}

// TestModelAndRoom: a chosen model is asked for, and a local server is asked for
// room that fits the question.
func TestModelAndRoom(t *testing.T) {
	for _, name := range providers() {
		p, _ := provider(t, name, says(http.StatusOK, "{}"), func(o *Options) { o.Model = "another-model" })
		require.Contains(t, string(p.Preview(sample())), `"model":"another-model"`)
	}
	p, _ := provider(t, local, says(http.StatusOK, "{}"))
	room := func(n int) int {
		var body struct {
			Options struct {
				NumCtx     int `json:"num_ctx"`
				NumPredict int `json:"num_predict"`
			} `json:"options"`
		}
		require.NoError(t, json.Unmarshal(p.Preview(many(n)), &body))
		require.Equal(t, maxTokens, body.Options.NumPredict)
		return body.Options.NumCtx
	}
	require.Less(t, room(3), room(40))
	require.Less(t, room(MaxItemsLocal), maxRoom, "all that is sent has room")
	require.Equal(t, room(MaxItemsLocal), room(MaxItems))
	require.Zero(t, room(3)%roomStep)
}

// TestOnlySoManyItemsAreSent: what is behind the limit follows in its order.
func TestOnlySoManyItemsAreSent(t *testing.T) {
	items := many(MaxItems + 50)
	for _, name := range providers() {
		p, requests := provider(t, name, says(http.StatusOK, envelope(name, `{"order":["i3","i201","i250","i1"],"notes":[]}`)))
		limit := p.limit()
		a := p.Advise(t.Context(), items)
		holds(t, items, a)
		require.True(t, a.Used, a.Note)
		require.Equal(t, []string{"change-2", "change-0", "change-1", "change-3"}, a.Order[:4])
		require.Equal(t, idsOf(items)[limit:], a.Order[limit:])
		require.Equal(t, fmt.Sprintf("Only the first %d of 250 items were sent; the others follow in the order of the rules.", limit), a.Note)
		body := string(requests()[0].Body)
		require.Contains(t, body, fmt.Sprintf(`i%d\"`, limit))
		require.NotContains(t, body, fmt.Sprintf(`i%d\"`, limit+1))
	}
}

// TestNothingIsAskedWithoutNeed: no request leaves, and the note says what to do.
func TestNothingIsAskedWithoutNeed(t *testing.T) {
	circle := sample()
	circle[1].After = []string{"0198-d"}
	twice := append(sample(), sample()[0])
	for name, tc := range map[string]struct {
		provider string
		items    []Item
		change   func(*Options)
		says     string
	}{
		"none":           {none, sample(), nil, "SERVICE_AI_PROVIDER or aiProvider"},
		"unset":          {"", sample(), nil, "SERVICE_AI_PROVIDER or aiProvider"},
		"unknown":        {"other", sample(), nil, "not known"},
		"no items":       {local, nil, nil, "no item"},
		"no key":         {hostedA, sample(), func(o *Options) { o.Key = secret.Text{} }, "set HOSTED_A_API_KEY or hostedAApiKey"},
		"no second key":  {hostedB, sample(), func(o *Options) { o.Key = secret.Text{} }, "set HOSTED_B_API_KEY or hostedBApiKey"},
		"no doer":        {local, sample(), func(o *Options) { o.Doer = nil }, "LOCAL_MODEL_HOST"},
		"the same twice": {local, twice, nil, "same id"},
		"a circle":       {local, circle, nil, "circle"},
	} {
		t.Run(name, func(t *testing.T) {
			p, requests := provider(t, tc.provider, says(http.StatusOK, "{}"), func(o *Options) {
				if tc.change != nil {
					tc.change(o)
				}
			})
			a := p.Advise(t.Context(), tc.items)
			require.False(t, a.Used)
			require.Equal(t, idsOf(tc.items), a.Order)
			require.Contains(t, a.Note, tc.says)
			require.NotContains(t, a.Note, canaryKey)
			require.Nil(t, p.Preview(tc.items))
			require.Empty(t, requests())
		})
	}
}
