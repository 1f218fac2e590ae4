package assess

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/store"
)

// asked is a provider of which only its answers are known, by source; a source without one does not answer.
type asked struct {
	answers map[string]snapshot.Status
	reads   []string
	err     error
	after   func()
}

var errNoAnswer = errors.New("no answer")

func (a *asked) Read(_ context.Context, s snapshot.Source, t snapshot.SourceScope, _ *snapshot.Known, _ cloudflare.Checkpoint) (
	snapshot.Section, error) {
	a.reads = append(a.reads, s.Name)
	if a.after != nil {
		a.after()
	}
	sec := snapshot.Section{Source: s.Name, Scope: s.Scope(t), Status: snapshot.Failed, Unanswered: errNoAnswer}
	if status, answered := a.answers[s.Name]; answered {
		sec.Status, sec.Unanswered = status, nil
	}
	return sec, a.err
}

// probing is a collector that has read some of what comes first.
func probing(t *testing.T, at *time.Time, provider *asked, read map[string]snapshot.Status) *collector {
	t.Helper()
	c := &collector{account: "a", client: provider, ctx: t.Context(), byName: map[string]snapshot.Source{},
		promise: map[sectionKey]*promise{}, halt: make(chan struct{}),
		pass: newPass(store.JobRow{}, nowhere{}, func() time.Time { return *at }, func(time.Duration, string) {}, nil)}
	for _, s := range snapshot.Sources() {
		c.byName[s.Name] = s
		if status, was := read[s.Name]; was {
			scope := s.Scope(snapshot.SourceScope{AccountID: "a"})
			p := &promise{settled: make(chan struct{}), section: snapshot.Section{Source: s.Name, Scope: scope, Status: status}}
			close(p.settled)
			c.promise[sectionKey{s.Name, scope}] = p
		}
	}
	c.known = snapshot.NewKnown(c.section)
	c.hear()
	return c
}

// TestProbe: whether the provider answers is asked by what it has answered before.
func TestProbe(t *testing.T) {
	at := simNow()
	names := preflight()
	for want, read := range map[string]map[string]snapshot.Status{
		"":       {names[0]: snapshot.Failed, names[1]: snapshot.Skipped},
		names[0]: {names[0]: snapshot.Denied, names[1]: snapshot.OK},
		names[1]: {names[0]: snapshot.Skipped, names[1]: snapshot.OK},
		names[2]: {names[0]: snapshot.Failed, names[2]: snapshot.OK, names[3]: snapshot.OK},
	} {
		source, target, known := probing(t, &at, &asked{}, read).probe()
		require.Equal(t, want, source.Name)
		require.Equal(t, want != "", known)
		require.Equal(t, "a", target.AccountID)
	}
}

// TestAsk: a provider that does not answer is waited for, for a while; then what fails has failed.
func TestAsk(t *testing.T) {
	at := simNow()
	list := preflight()[2]
	read := map[string]snapshot.Status{list: snapshot.OK}
	ask := func(c *collector) (bool, error) {
		source, target, _ := c.probe()
		return c.ask(source, target)
	}
	provider := &asked{answers: map[string]snapshot.Status{list: snapshot.Denied}}
	c := probing(t, &at, provider, read)
	at = at.Add(time.Minute)
	answers, err := ask(c)
	require.NoError(t, err)
	require.True(t, answers, "a refusal is an answer")
	require.Equal(t, at, c.heard)
	require.False(t, c.halted())

	delete(provider.answers, list)
	answers, err = ask(c)
	require.NoError(t, err)
	require.False(t, answers)
	require.True(t, c.halted())
	require.False(t, c.over)
	var later *posture.LaterError
	require.ErrorAs(t, c.stopped, &later)
	require.ErrorIs(t, later, errNoAnswer)
	first := c.stopped
	c.stop(errors.New("again"))
	require.Equal(t, first, c.stopped, "the first reason counts")

	c = probing(t, &at, provider, read)
	c.failed = errors.New("what failed before")
	_, err = ask(c)
	require.NoError(t, err)
	require.ErrorContains(t, c.stopped, "what failed before")

	c = probing(t, &at, provider, read)
	at = at.Add(outageLimit)
	answers, err = ask(c)
	require.NoError(t, err)
	require.False(t, answers)
	require.True(t, c.over)
	require.False(t, c.halted())

	provider.err = errors.New("the budget is away")
	_, err = ask(c)
	require.ErrorIs(t, err, provider.err)
}

// TestStillSilent: a run that found the provider silent asks it once before it goes on.
func TestStillSilent(t *testing.T) {
	at := simNow()
	list := preflight()[2]
	read := map[string]snapshot.Status{list: snapshot.OK}
	answering := func() *asked { return &asked{answers: map[string]snapshot.Status{list: snapshot.OK}} }
	for name, c := range map[string]struct {
		since    time.Duration
		read     map[string]snapshot.Status
		provider *asked
		want     error
		asked    int
		silent   bool // afterwards
	}{
		"it answered":           {read: read, provider: &asked{}},
		"nothing to ask":        {since: time.Second, provider: answering(), silent: true},
		"it answers again":      {since: time.Second, read: read, provider: answering(), asked: 1},
		"it is silent still":    {since: time.Second, read: read, provider: &asked{}, want: errLost, asked: 1, silent: true},
		"for too long":          {since: outageLimit, read: read, provider: &asked{}, asked: 1, silent: true},
		"it could not be tried": {since: time.Second, read: read, provider: &asked{err: errProvider}, want: errProvider, asked: 1, silent: true},
	} {
		col := probing(t, &at, c.provider, c.read)
		if c.since > 0 {
			col.pass.mark.Since = at.Add(-c.since)
		}
		require.ErrorIs(t, col.stillSilent(), c.want, name)
		require.Len(t, c.provider.reads, c.asked, name)
		require.Equal(t, c.silent, !col.pass.mark.Since.IsZero(), name)
	}
	require.NoError(t, (&collector{}).stillSilent())
}

// TestFinal: what gets no answer has failed only once nothing better can come.
func TestFinal(t *testing.T) {
	at := simNow()
	list := preflight()[2]
	read := map[string]snapshot.Status{list: snapshot.OK}
	answers := map[string]snapshot.Status{list: snapshot.OK}
	unanswered := snapshot.Section{Unanswered: errNoAnswer}
	for name, c := range map[string]struct {
		read    map[string]snapshot.Status
		answers map[string]snapshot.Status
		change  func(*collector)
		want    bool
		asked   int
	}{
		"nothing was answered yet":      {},
		"it was heard just now":         {read: read, change: func(c *collector) { c.hear() }},
		"just now, in the last pass":    {read: read, change: func(c *collector) { c.hear(); c.pass.mark.Again = passes - 1 }, want: true},
		"others stopped":                {read: read, change: func(c *collector) { c.stop(errLost) }},
		"it was waited for long enough": {read: read, change: func(c *collector) { c.over = true }, want: true},
		"it answers others":             {read: read, answers: answers, asked: 1},
		"others, in the last pass": {read: read, answers: answers, change: func(c *collector) { c.pass.mark.Again = passes - 1 },
			want: true, asked: 1},
		"it answers nobody": {read: read, asked: 1},
		"nobody, for long": {read: read, change: func(c *collector) { c.pass.mark.Since = at.Add(-outageLimit) }, want: true,
			asked: 1},
	} {
		provider := &asked{answers: c.answers}
		col := probing(t, &at, provider, c.read)
		at = at.Add(probeAge)
		if c.change != nil {
			c.change(col)
		}
		got, err := col.final(unanswered)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
		require.Len(t, provider.reads, c.asked, name)
		require.ErrorIs(t, col.failed, errNoAnswer, name)
	}
	got, err := (&collector{}).final(unanswered)
	require.NoError(t, err)
	require.True(t, got, "without passes")
}

// TestPauses: how long a pass leaves a provider alone.
func TestPauses(t *testing.T) {
	at := simNow()
	var told time.Duration
	fresh := func(have ...snapshot.Section) *pass {
		return newPass(store.JobRow{}, nowhere{}, func() time.Time { return at }, func(d time.Duration, _ string) { told = d }, have)
	}
	pauseOf := func(err error) time.Duration {
		t.Helper()
		var later *posture.LaterError
		require.ErrorAs(t, err, &later)
		require.ErrorIs(t, err, errNoAnswer)
		require.Equal(t, told, later.At.Sub(at))
		return told
	}
	for gone, want := range map[time.Duration]time.Duration{0: minPause, 4 * time.Second: 2 * time.Second, 10 * time.Second: 5 * time.Second,
		16 * time.Second: maxPause, outageLimit - 1: maxPause} {
		require.Equal(t, want, pauseOf(fresh().silent(t.Context(), at.Add(-gone), errNoAnswer)), gone)
	}
	require.NoError(t, fresh().silent(t.Context(), at.Add(-outageLimit), errNoAnswer))
	p := fresh()
	p.mark.Since = at.Add(-10 * time.Second)
	require.Equal(t, 5*time.Second, pauseOf(p.silent(t.Context(), at, errNoAnswer)), "the first silence counts")
	for i := range passes - 1 {
		require.False(t, p.last())
		require.Equal(t, time.Duration(i+1)*5*time.Second, pauseOf(p.again(t.Context(), errNoAnswer)))
		require.Zero(t, p.mark.Since, "it answered others")
	}
	require.True(t, p.last())
	require.Equal(t, passes, p.mark.Number)
	require.Equal(t, at.Add(10*time.Second), p.mark.Due)
}
