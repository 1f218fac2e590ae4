package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// BenchmarkAnswers tells how long people wait for what is worked out from a run of 1,000 zones when they ask for it: the first
// time, and then about another zone.
func BenchmarkAnswers(b *testing.B) {
	s := serve(b, simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 1000, RecordsPerZone: 20, Plant: 0.2}}})
	var a posture.Assessment
	s.post(b, "/api/assess", map[string]any{}, &a)
	took := func(name string, ask func()) {
		start := time.Now()
		ask()
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-"+name)
	}
	for b.Loop() {
		took("summary", func() {
			s.get(b, "/api/assessments/"+a.ID+"/issues?limit=3")
			s.get(b, "/api/assessments/"+a.ID+"/paths?limit=1")
			for _, framework := range []string{"cis", "soc2", "pci", "nist"} {
				s.get(b, "/api/compliance/"+framework+"?assessmentId="+a.ID)
			}
		})
		took("summary-pdf", func() { s.get(b, "/api/download/pdf?summary=true&assessmentId="+a.ID) })
		for i, when := range []string{"first", "then"} {
			z := a.Zones[i]
			took("explain-"+when, func() { s.get(b, "/api/explain?url="+url.QueryEscape(z.Name)) })
		}
		for i, when := range []string{"first", "then"} {
			took("what-if-"+when, func() {
				var out json.RawMessage
				s.post(b, "/api/what-if", map[string]any{"changes": []any{map[string]any{"method": "PATCH",
					"path": fmt.Sprintf("/zones/%s/settings/ssl", a.Zones[i].ID), "body": map[string]any{"value": "off"}}}}, &out)
			})
		}
	}
	b.ReportMetric(memory(b, s.pid, "VmHWM"), "MB-peak")
	b.ReportMetric(0, "ns/op")
}

func (s server) get(b *testing.B, path string) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, err)
	}
}
