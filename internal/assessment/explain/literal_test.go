package explain_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/explain"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic/traffictest"
)

func query(v traffictest.Visit) explain.Query {
	u := &url.URL{Scheme: "http", Host: v.Host, Path: v.Path}
	if v.Secure {
		u.Scheme = "https"
	}
	q := explain.Query{URL: u, Method: v.Method, Source: netip.PrefixFrom(v.Source, v.Source.BitLen()), Country: v.Country,
		Header: http.Header{}}
	if v.Header != "" {
		q.Header.Set("X-Key", v.Header)
	}
	return q
}

// TestSweepExplainAgreesWithALiteralReading explains random requests to random zones. The bot score, which no request tells, is all
// that may leave a step undecided.
func TestSweepExplainAgreesWithALiteralReading(t *testing.T) {
	t.Parallel()
	zones, requests := 50, 40
	if testing.Short() {
		requests = 8
	}
	decided, undecided := 0, 0
	for n := range zones {
		s := traffictest.New(uint64(n))
		snap := s.Snapshot(t)
		for range requests {
			v := s.Visit()
			want, got := s.Literal(v), explain.Of(snap, snap.Zones[0], query(v))
			told := fmt.Sprintf("zone %d: %+v", n, v)
			require.Equal(t, explain.Yes, got.Served, told)
			steps := map[string]explain.PhaseStep{}
			for _, step := range got.Steps {
				steps[step.Phase] = step
				if step.Outcome == explain.Unclear && !strings.Contains(step.Detail, "was not read") {
					require.Contains(t, step.Detail, "bot score", told)
				}
			}
			if steps["http_request_dynamic_redirect"].Outcome == explain.Unclear {
				undecided++
				continue
			}
			last := got.Steps[len(got.Steps)-1]
			if early := want.Redirect != "" && want.Redirect[0] != 'm'; early || last.Phase == "http_request_redirect" {
				require.Equal(t, want.Redirect, last.By.ID, told)
				decided++
				if early {
					continue
				}
			}
			open := false
			for _, phase := range []string{traffic.CustomRules, traffic.RateLimits, traffic.ManagedRules} {
				step, reached := steps[phase]
				if !reached {
					continue // an earlier phase ended the request, which is compared there
				}
				switch acts := want.Acts[phase]; {
				case step.Outcome == explain.Unclear:
					undecided++
					open = true
					continue
				case open && want.Ended && len(acts) == 0:
					continue // the step before, which is not decided, ended the request
				case want.Ended && len(acts) > 0 && acts[len(acts)-1] == want.EndedBy:
					require.Equal(t, explain.Blocked, step.Outcome, told)
					rules := []string{step.By.ID} // and those that block it with another bot score
					for _, by := range step.Overrode {
						rules = append(rules, by.ID)
					}
					require.Contains(t, rules, want.EndedBy, told)
				case want.Skipped[phase] != "" && len(acts) == 0:
					require.Equal(t, explain.Skipped, step.Outcome, told)
					require.Equal(t, want.Skipped[phase], step.By.ID, told)
				case len(acts) == 0:
					require.Contains(t, []explain.Outcome{explain.Passed, explain.NotConfigured}, step.Outcome, told)
					require.Nil(t, step.By, told)
				default:
					require.Contains(t, acts, step.By.ID, told)
					action := s.Rule(step.By.ID).Action
					require.Equal(t, outcomeOf(action, phase), step.Outcome, told)
				}
				decided++
			}
			if step, reached := steps["origin"]; reached && step.Outcome != explain.Unclear {
				require.False(t, want.Ended && !open, told)
				require.Equal(t, want.Mode, step.Values["ssl"], told)
				require.Equal(t, cmp.Or(want.ModeBy, "ssl"), step.By.ID, told)
				decided++
			}
			if step := steps["http_config_settings"]; step.Outcome == explain.Applied {
				require.Equal(t, want.Config[len(want.Config)-1], step.By.ID, told)
				decided++
			} else if step.Outcome != explain.Unclear {
				require.Empty(t, want.Config, told)
				decided++
			}
			if step, reached := steps["http_response_headers_transform"]; reached && v.Secure && step.Outcome != explain.Unclear {
				hsts := ""
				if want.HSTS > 0 {
					hsts = fmt.Sprintf("max-age=%d", want.HSTS)
				}
				require.Equal(t, hsts, step.Values["strict-transport-security"], told)
				decided++
			}
		}
	}
	t.Logf("%d steps decided, %d undecided", decided, undecided)
	require.Less(t, undecided*2, decided)
}

func outcomeOf(action, phase string) explain.Outcome {
	switch {
	case action == "skip":
		return explain.Skipped
	case action == "managed_challenge" && phase != traffic.RateLimits:
		return explain.Challenged
	default:
		return explain.Applied
	}
}
