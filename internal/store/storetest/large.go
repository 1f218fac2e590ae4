package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// The data set has largeAccounts accounts with one assessment of largeFindings findings each, 1,500,000
// findings in total. EDGEPOSTURE_BENCH_ACCOUNTS sets another number of accounts;
// EDGEPOSTURE_BENCH_PLACE names a database to keep and reuse (a PostgreSQL URL or an SQLite file).
const (
	largeAccounts = 30
	largeFindings = 50_000
	largeZones    = 100
	largeChecks   = 210
	largeList     = 10_000 // assessments in the list benchmark
)

// large is a store of the size for which performance figures are promised.
type large struct {
	s          store.Store
	random     *rand.Rand
	perAccount int // findings
	accounts   []string
	reports    []string
}

// BenchLarge measures the finding queries over 1,500,000 stored findings, and lists of 10,000
// assessments. It builds the data through Save, which takes minutes.
func BenchLarge(b *testing.B, open func(t testing.TB) store.Store, settle func(context.Context) error) {
	accounts := largeAccounts
	if n, err := strconv.Atoi(os.Getenv("EDGEPOSTURE_BENCH_ACCOUNTS")); err == nil {
		accounts = n
	}
	l := &large{s: open(b), random: rand.New(rand.NewPCG(1, 2)), perAccount: largeFindings}
	if !l.there(b, accounts) {
		begun := time.Now()
		for i := range accounts {
			l.add(b, i, largeFindings)
		}
		for i := range largeList - accounts {
			l.add(b, accounts+i, 0)
		}
		require.NoError(b, settle(b.Context()))
		b.Logf("built in %s", time.Since(begun).Round(time.Second))
		l.accounts, l.reports = l.accounts[:accounts], l.reports[:accounts]
	}
	b.Run("latest", func(b *testing.B) { l.measure(b, l.latestQueries()) })
	b.Run("assessment", func(b *testing.B) { l.measure(b, l.reportQueries()) })
	b.Run("assessments", func(b *testing.B) { l.measure(b, l.listQueries()) })
}

// there loads the data an earlier benchmark left in the same database, if any.
func (l *large) there(b *testing.B, accounts int) bool {
	for i := range accounts {
		a, err := l.s.LatestAssessment(b.Context(), accountNo(i))
		if errors.Is(err, store.ErrNotFound) {
			return false
		}
		require.NoError(b, err)
		l.accounts, l.reports = append(l.accounts, a.Account.ID), append(l.reports, a.ID)
	}
	return true
}

func accountNo(i int) string { return fmt.Sprintf("%032x", 0xacc0000+i) }

func (l *large) add(b *testing.B, no, n int) {
	b.Helper()
	account := accountNo(no)
	row := running(b, l.s, func(n *store.NewJob) { n.Account = account })
	a := assessment(b, row.ID, 0)
	a.Account.ID = account
	a.StartedAt, a.CompletedAt = noon().Add(time.Duration(no)*time.Minute), noon().Add(time.Duration(no)*time.Minute+time.Second)
	a.Findings = make([]posture.Finding, 0, n)
	for i := range n {
		a.Findings = append(a.Findings, l.finding(account, no, i))
	}
	in := saveOf(row, a)
	for i := range in.States {
		f := a.Findings[i]
		in.States[i].Opened = f.Result == posture.Fail || f.Result == posture.Warning || i%9 == 0
	}
	in.Now = a.CompletedAt
	require.NoError(b, l.s.Save(b.Context(), in))
	l.accounts, l.reports = append(l.accounts, account), append(l.reports, a.ID)
}

// finding makes one finding of an account with 210 checks in 43 categories and 100 zones: of 100
// verdicts 30 are FAIL, 10 WARNING, 3 UNKNOWN, 50 PASS, 7 NOT_APPLICABLE.
func (l *large) finding(account string, no, i int) posture.Finding {
	r := l.random
	check := i % largeChecks
	id, title, why, fix := checkTexts(check)
	zone := r.IntN(largeZones)
	f := posture.Finding{CheckID: id, CheckTitle: title, Category: posture.Categories()[check%43], Severity: posture.Severities()[check%5],
		Why: why, Fix: fix, Remediable: check%3 == 0, Controls: posture.Controls{CIS: []string{"4.1"}, SOC2: []string{"CC6.1"}},
		AttackPathIDs: []string{}}
	zoneName := fmt.Sprintf("%s-%d.example", []string{"shop", "cloud", "mail", "garden", "harbour"}[zone%5], no*largeZones+zone)
	f.Resource = posture.Resource{Type: posture.ResourceDNSRecord, ID: fmt.Sprintf("%016x%016x", no, i/3),
		Name: fmt.Sprintf("host-%d.%s", r.IntN(1_000_000), zoneName), ZoneID: fmt.Sprintf("%032x", no*largeZones+zone), Zone: zoneName}
	f.ID = posture.FindingID(account, id, f.Resource.Type, fmt.Sprint(i))
	f.Message = fmt.Sprintf([]string{"A record %s publishes the address of its origin, so that requests can go around the firewall.",
		"%s answers without encryption.", "The policy of %s lets everybody in.", "%s points at a service nobody has claimed."}[check%4],
		f.Resource.Name)
	f.Evidence = []posture.Evidence{{Source: "zone/dns_records", Pointer: fmt.Sprintf("/%d/proxied", i), Observed: "false", Expected: "true"}}
	f.FirstSeen = kept(noon().AddDate(0, 0, -r.IntN(20)))
	f.LastSeen = kept(noon())
	switch n := r.IntN(100); {
	case n < 30:
		f.Result, f.Status = posture.Fail, posture.StatusOpen
	case n < 40:
		f.Result, f.Status = posture.Warning, []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}[n%2]
	case n < 43:
		f.Result, f.Status, f.Reason, f.Permission = posture.Unknown, posture.StatusOpen, "not read", "Zone: Read"
	case n < 93:
		f.Result, f.Status = posture.Pass, posture.StatusResolved
	default:
		f.Result, f.Status = posture.NotApplicable, posture.StatusResolved
	}
	return f.Worded()
}

// query is one kind of query; ask runs it with random values.
type query struct {
	name string
	ask  func(ctx context.Context) error
}

// measure interleaves the queries, so that no query runs on a cache it has just warmed itself.
func (l *large) measure(b *testing.B, queries []query) { l.rounds(b, queries, 150) }

func (l *large) rounds(b *testing.B, queries []query, rounds int) {
	took := make([][]time.Duration, len(queries))
	for range rounds {
		for i, q := range queries {
			begun := time.Now()
			require.NoError(b, q.ask(b.Context()), q.name)
			took[i] = append(took[i], time.Since(begun))
		}
	}
	var all []time.Duration
	for i, q := range queries {
		all = append(all, took[i]...)
		tell(b, q.name, took[i])
	}
	tell(b, "all", all)
}

// tell reports durations measured earlier as a separate benchmark.
func tell(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(ms(took[len(took)/2]), "ms-p50")
		}
		b.ReportMetric(ms(took[len(took)*99/100]), "ms-p99")
		b.ReportMetric(0, "ns/op")
	})
}

// filters is a realistic mix: no filter, each filter alone, two filters, and common, rare and absent
// text.
func (l *large) filters() map[string]func() store.FindingFilter {
	open := []posture.Result{posture.Fail, posture.Warning, posture.Unknown}
	of := func(change func(f *store.FindingFilter)) func() store.FindingFilter {
		return func() store.FindingFilter {
			f := store.FindingFilter{Results: open}
			change(&f)
			return f
		}
	}
	check := func() string { return fmt.Sprintf("check-%03d", l.random.IntN(largeChecks)) }
	return map[string]func() store.FindingFilter{
		"no filter": of(func(*store.FindingFilter) {}),
		"result":    of(func(f *store.FindingFilter) { f.Results = []posture.Result{open[l.random.IntN(3)]} }),
		"severity": of(func(f *store.FindingFilter) {
			f.Severities = []posture.Severity{posture.Severities()[l.random.IntN(5)]}
		}),
		"category": of(func(f *store.FindingFilter) {
			f.Categories = []posture.Category{posture.Categories()[l.random.IntN(43)]}
		}),
		"check": of(func(f *store.FindingFilter) { f.Checks = []string{check()} }),
		"resource": of(func(f *store.FindingFilter) {
			f.Resources = []string{fmt.Sprintf("%016x%016x", l.random.IntN(len(l.accounts)), l.random.IntN(l.perAccount/3))}
		}),
		"category and result": of(func(f *store.FindingFilter) {
			f.Categories, f.Results = []posture.Category{posture.Categories()[l.random.IntN(43)]}, open[2:]
		}),
		"severity and result": of(func(f *store.FindingFilter) {
			f.Severities, f.Results = []posture.Severity{posture.Severities()[l.random.IntN(5)]}, open[2:]
		}),
		"common text":              of(func(f *store.FindingFilter) { f.Text = "encryption" }),
		"rare text":                of(func(f *store.FindingFilter) { f.Text = fmt.Sprintf("host-%d.", 100_000+l.random.IntN(900_000)) }),
		"absent text":              of(func(f *store.FindingFilter) { f.Text = fmt.Sprintf("nowhere-%d", l.random.IntN(1000)) }),
		"common text and severity": of(func(f *store.FindingFilter) { f.Text, f.Severities = "encryption", []posture.Severity{posture.High} }),
	}
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (l *large) latestQueries() (out []query) {
	open := []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}
	ask := func(name string, filter func() store.LatestFilter, page func(store.LatestFilter) store.Page) {
		out = append(out, query{name, func(ctx context.Context) error {
			f := filter()
			f.Statuses = open
			_, _, err := l.s.LatestFindings(ctx, f, page(f))
			return err
		}})
	}
	first := func(store.LatestFilter) store.Page { return store.Page{Limit: 100} }
	filters := l.filters()
	for _, name := range sorted(filters) {
		ask(name, func() store.LatestFilter { return store.LatestFilter{FindingFilter: filters[name]()} }, first)
	}
	any := func() string { return l.accounts[l.random.IntN(len(l.accounts))] }
	with := func(name string, add func(*store.LatestFilter)) {
		ask(name, func() store.LatestFilter {
			f := store.LatestFilter{FindingFilter: filters["no filter"]()}
			add(&f)
			return f
		}, first)
	}
	with("account", func(f *store.LatestFilter) { f.Accounts = []string{any()} })
	with("account and result", func(f *store.LatestFilter) {
		f.Accounts, f.Results = []string{any()}, []posture.Result{posture.Unknown}
	})
	with("account and category", func(f *store.LatestFilter) {
		f.Accounts, f.Categories = []string{any()}, []posture.Category{posture.Categories()[l.random.IntN(43)]}
	})
	with("zone", func(f *store.LatestFilter) {
		f.Zones = []string{fmt.Sprintf("%032x", l.random.IntN(largeZones*len(l.accounts)))}
	})
	with("account and rare text", func(f *store.LatestFilter) {
		f.Accounts, f.Text = []string{any()}, fmt.Sprintf("host-%d.", 100_000+l.random.IntN(900_000))
	})
	var deep []store.Page
	ask("deep page", func() store.LatestFilter { return store.LatestFilter{FindingFilter: filters["no filter"]()} },
		func(f store.LatestFilter) store.Page {
			for p := (store.Page{Limit: 1000}); len(deep) < 100; {
				_, next, err := l.s.LatestFindings(context.Background(), f, p)
				if err != nil || next == "" {
					break
				}
				p.Cursor = next
				deep = append(deep, store.Page{Limit: 100, Cursor: next})
			}
			return deep[l.random.IntN(len(deep))]
		})
	out = append(out, query{"one finding", func(ctx context.Context) error {
		rows, _, err := l.s.LatestFindings(ctx, store.LatestFilter{Accounts: []string{any()}}, store.Page{Limit: 1})
		if err != nil {
			return err
		}
		if _, err = l.s.LatestFinding(ctx, rows[0].ID, noon()); err != nil {
			return err
		}
		_, err = l.s.Sightings(ctx, rows[0].ID, 100)
		return err
	}})
	return out
}

// reportQueries query an assessment as its list does: one page and the counts.
func (l *large) reportQueries() (out []query) {
	any := func() string { return l.reports[l.random.IntN(len(l.reports))] }
	filters := l.filters()
	ask := func(ctx context.Context, id string, f store.FindingFilter, p store.Page) error {
		_, _, err := l.s.Findings(ctx, id, f, p)
		if err != nil {
			return err
		}
		f.Results = nil
		_, err = l.s.CountFindings(ctx, id, f)
		return err
	}
	for _, name := range sorted(filters) {
		out = append(out, query{name, func(ctx context.Context) error { return ask(ctx, any(), filters[name](), store.Page{Limit: 100}) }})
	}
	deep := map[string]string{}
	return append(out, query{"deep page", func(ctx context.Context) error {
		id, f := any(), filters["no filter"]()
		for p := (store.Page{Limit: 1000}); deep[id] == "" || l.random.IntN(3) > 0 && p.Cursor == ""; {
			_, next, err := l.s.Findings(ctx, id, f, p)
			if err != nil {
				return err
			}
			p.Cursor, deep[id] = next, next
			if l.random.IntN(8) == 0 {
				break
			}
		}
		return ask(ctx, id, f, store.Page{Limit: 100, Cursor: deep[id]})
	}})
}

func (l *large) listQueries() []query {
	var cursors []string
	return []query{
		{"first page", func(ctx context.Context) error {
			_, _, err := l.s.Assessments(ctx, store.AssessmentFilter{}, store.Page{Limit: 100})
			return err
		}},
		{"any page", func(ctx context.Context) error {
			p := store.Page{Limit: 100}
			if n := len(cursors); n > 0 && n < 99 {
				p.Cursor = cursors[n-1]
			} else if n > 0 {
				p.Cursor = cursors[l.random.IntN(n)]
			}
			_, next, err := l.s.Assessments(ctx, store.AssessmentFilter{}, p)
			if next != "" && len(cursors) < 99 {
				cursors = append(cursors, next)
			}
			return err
		}},
		{"of an account", func(ctx context.Context) error {
			_, _, err := l.s.Assessments(ctx, store.AssessmentFilter{Account: l.accounts[l.random.IntN(len(l.accounts))]}, store.Page{Limit: 100})
			return err
		}},
	}
}
