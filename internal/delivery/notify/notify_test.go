package notify_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
)

var update = flag.Bool("update", false, "rewrite golden files")

// input makes the input of a summary from a document of a test.
func input(d export.Document) notify.Input {
	return notify.Input{Assessment: d.Assessment, Findings: d.Findings(posture.Fail, posture.Warning), Paths: exporttest.Paths(&d)}
}

func summary(t testing.TB, in notify.Input) notify.Summary {
	t.Helper()
	s, err := notify.New(in)
	require.NoError(t, err)
	return s
}

func channel(t testing.TB, name string) notify.Channel {
	t.Helper()
	c, err := notify.Find(name)
	require.NoError(t, err)
	return c
}

func build(t testing.TB, name string, s notify.Content) []byte {
	t.Helper()
	body, err := channel(t, name).Build(s)
	require.NoError(t, err)
	return body
}

// changes makes the comparison with an earlier run in which half of the open
// findings were new, a quarter was better, and something was read that is not now.
func changes(t testing.TB, in notify.Input) *drift.Drift {
	t.Helper()
	d := &drift.Drift{Baseline: drift.Ref{ID: "00000000-0000-4000-8000-00000000000b",
		CompletedAt: in.Assessment.CompletedAt.Add(-24 * time.Hour), Score: 80},
		Current: drift.Ref{ID: in.Assessment.ID}, ScoreDelta: new(in.Assessment.Score.Value - 80)}
	n := 0
	for f, err := range in.Findings {
		require.NoError(t, err)
		e := drift.Difference{ID: f.ID, CheckID: f.CheckID, Title: f.Title, Category: f.Category, Severity: f.Severity, Resource: f.Resource,
			After: f.Result, Message: f.Message}
		switch n++; n % 4 {
		case 0, 1:
			d.New = append(d.New, e)
		case 2:
			e.Before = posture.Pass
			d.Regressed = append(d.Regressed, e)
		case 3:
			e.Reason = "could not be read before"
			d.New = append(d.New, e)
		}
	}
	d.Resolved = []drift.Difference{{ID: "gone"}}
	d.Unknown = []drift.Difference{{ID: "lost"}, {ID: "lost-too"}}
	for _, p := range in.Paths {
		d.Paths.Appeared = append(d.Paths.Appeared, drift.NewPath{AttackPath: p, Reason: "could not be seen before"})
	}
	return d
}

// examples are the summaries of the golden files.
func examples(t testing.TB) map[string]notify.Summary {
	t.Helper()
	full := input(exporttest.Large(60))
	full.Assessment.Demo = false
	full.Drift, full.Link = changes(t, full), "https://posture.example/assessments/00000000-0000-4000-8000-000000000002?tab=findings&sort=risk"
	full.Assessment.Coverage.MissingPermissions = []posture.MissingPermission{{Permission: "Zone DNS Read", CheckIDs: []string{"CFL-DNS-001",
		"CFL-DNS-002"}}, {Permission: "Logs Read", CheckIDs: []string{"CFL-LOG-001"}}}
	full.Paths = []posture.AttackPath{
		{ID: "ap:exposed-origin:dns:z1:1", Kind: "exposed-origin", Title: "Origin reachable around the edge", Severity: posture.High,
			HopCount: 2, Explanation: "host-1.zone-1.example is not proxied and names 203.0.113.7."},
		{ID: "ap:public-bucket:b", Kind: "public-bucket", Title: "Public bucket", Severity: posture.Critical, HopCount: 1,
			Explanation: "The bucket backups_2025 can be read by everybody."},
	}
	full.Assessment.AttackPaths = 2

	first := input(exporttest.Document(4))
	first.Assessment.Demo = true

	clean := input(exporttest.Document(10))
	clean.Assessment.Demo, clean.Link = false, "http://127.0.0.1:8080/"

	hostile := input(exporttest.Document(7))
	hostile.Drift, hostile.Link, hostile.Top = changes(t, hostile), "https://posture.example/?q=%22%3E%3Cscript%3E", 10
	return map[string]notify.Summary{"full": summary(t, full), "first": summary(t, first), "clean": summary(t, clean),
		"hostile": summary(t, hostile)}
}

func TestGolden(t *testing.T) {
	for name, s := range examples(t) {
		for _, c := range notify.Channels() {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				body := build(t, c.Name, s)
				require.Equal(t, string(body), string(build(t, c.Name, s)), "the same summary must give the same bytes")
				valid(t, c.Name, body)
				golden(t, name+"-"+c.Name, body)
			})
		}
	}
}

func TestGoldenFailure(t *testing.T) {
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	last := input(exporttest.Document(4)).Assessment
	f := notify.Failure{Account: posture.AccountRef{ID: "0123456789abcdef0123456789abcdef", Name: "Shop <@U1> & *sons*"},
		Run: posture.Job{ID: "01a1fe8f-3b4e-7922-9dea-000000000000", FinishedAt: &at,
			Error: posture.Problemf(posture.CodeProvider, "Cloudflare did not answer for five minutes; try again later.")},
		Last: &last, Link: "https://posture.example/a/1"}
	first := notify.Failure{Account: posture.AccountRef{ID: f.Account.ID}, Run: posture.Job{ID: f.Run.ID, CreatedAt: at}}
	for name, f := range map[string]notify.Failure{"failure": f, "failure-first": first} {
		for _, c := range notify.Channels() {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				body := build(t, c.Name, f)
				if c.Name != "webhook" { // its schema is that of summaries
					valid(t, c.Name, body)
				}
				golden(t, name+"-"+c.Name, body)
			})
		}
	}
}

// golden compares a body with the one that is committed.
func golden(t testing.TB, name string, body []byte) {
	t.Helper()
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, body, "", " "))
	got.WriteByte('\n')
	path := filepath.Join("testdata", fmt.Sprintf("golden-%s.json", name))
	if *update {
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String(), "run with -update when the change is meant")
}

func TestChannelsOfTheContract(t *testing.T) {
	var rows []string
	for _, c := range notify.Channels() {
		rows = append(rows, strings.Join([]string{c.Name, c.URLKey, c.SecretKey}, " "))
	}
	require.Subset(t, rows, []string{"chat_a chatAWebhook ", "chat_b chatBWebhook ", "webhook webhookUrl webhookSecret"})
	_, err := notify.Find("chat_c")
	require.Equal(t, posture.CodeInvalid, posture.AsProblem(err).Code)
}

// compiled keeps the schemas, which take longer to compile than to hold against.
var compiled sync.Map

func schema(t testing.TB, path string) *jsonschema.Schema {
	t.Helper()
	if s, ok := compiled.Load(path); ok {
		return s.(*jsonschema.Schema)
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("https://schema.test/it.json", doc))
	s, err := c.Compile("https://schema.test/it.json")
	require.NoError(t, err)
	compiled.Store(path, s)
	return s
}

func conforms(t testing.TB, s *jsonschema.Schema, body []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, s.Validate(v))
}

// valid holds a body against the schema and the limits of its channel.
func valid(t testing.TB, name string, body []byte) {
	t.Helper()
	require.True(t, json.Valid(body))
	switch name {
	case "chat_a":
		validChatA(t, body)
	case "chat_b":
		validChatB(t, body)
	case "webhook":
		validWebhook(t, body)
	}
}
