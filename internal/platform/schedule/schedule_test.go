package schedule

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func plan(t testing.TB, expression, zone string) Plan {
	t.Helper()
	p, err := Parse(expression, zone)
	require.NoError(t, err)
	return p
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return v
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ expression, zone, says string }{
		{"", "", "not understood"}, {"* * * *", "", "not understood"}, {"* * * * * *", "", "not understood"},
		{"60 * * * *", "", "not understood"},
		{"* 24 * * *", "", "not understood"}, {"* * 0 * *", "", "not understood"}, {"* * * 13 *", "", "not understood"},
		{"* * * * 8", "", `"8" is no day of the week`}, {"* 25 * * *", "", `"25" is no hour`}, {"0 3 L * *", "", `"l" is no day of the month`},
		{"* * * * 9-7", "", "no day of the week"}, {"* * * * 1-7/0", "", "no day of the week"}, {"* * *", "", "3 of five fields"},
		{"*/0 * * * *", "", "not understood"}, {"5-1 * * * *", "", "not understood"}, {"a b c d e", "", "not understood"},
		{"@reboot", "", "not understood"},
		{"@every 5m", "", "no time of day"}, {"TZ=UTC * * * * *", "", "timeZone"}, {"CRON_TZ=Europe/Berlin 0 5 * * *", "", "timeZone"},
		{"TZ=0", "", "timeZone"},
		{"0 0 31 2 *", "", "never comes"}, {"0 0 30 2 *", "", "never comes"}, {"0 0 31 4,6,9,11 *", "", "never comes"},
		{"@daily", "Local", "IANA"}, {"@daily", "Europe/Atlantis", "IANA"}, {"@daily", "../../etc/passwd", "IANA"},
		{"@daily", "europe berlin", "IANA"},
	} {
		_, err := Parse(c.expression, c.zone)
		require.ErrorContains(t, err, c.says, "%q in %q", c.expression, c.zone)
		require.Less(t, len(err.Error()), 400)
	}
	_, err := Parse("@daily", "nowhere")
	require.ErrorIs(t, err, ErrZone)
}

func TestNext(t *testing.T) {
	const berlin, newYork = "Europe/Berlin", "America/New_York"
	for _, c := range []struct {
		name, expression, zone, after string
		want                          []string
	}{
		{"plain", "30 5 * * 1-5", "", "2026-11-20T05:30:00Z", []string{"2026-11-23T05:30:00Z", "2026-11-24T05:30:00Z"}},
		{"exactly at a due time gives the one after", "@daily", "", "2026-01-01T00:00:00Z", []string{"2026-01-02T00:00:00Z"}},
		{"just before a due time gives it", "@daily", "", "2026-01-01T23:59:59.999999Z", []string{"2026-01-02T00:00:00Z"}},
		{"upper case and blanks", "  @DAILY ", "", "2026-01-01T00:00:00Z", []string{"2026-01-02T00:00:00Z"}},
		{"names", "0 0 * JAN Mon", "", "2025-12-30T00:00:00Z", []string{"2026-01-05T00:00:00Z"}},
		{"weekly is Sunday", "@weekly", "", "2026-11-20T00:00:00Z", []string{"2026-11-22T00:00:00Z"}},
		{"Sunday is 7, too", "0 0 * * 7", "", "2026-11-20T00:00:00Z", []string{"2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z"}},
		{"and ends a range", "0 0 * * 6-7", "", "2026-11-20T00:00:00Z", []string{"2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z",
			"2026-11-28T00:00:00Z"}},
		{"and one with steps", "0 0 * * 1-7/3,2", "", "2026-11-22T00:00:00Z", []string{"2026-11-23T00:00:00Z", "2026-11-24T00:00:00Z",
			"2026-11-26T00:00:00Z", "2026-11-29T00:00:00Z"}},
		{"leap day", "0 12 29 2 *", "", "2026-01-01T00:00:00Z", []string{"2028-02-29T12:00:00Z", "2032-02-29T12:00:00Z"}},
		{"the 31st leaves months out", "0 0 31 * *", "", "2026-01-31T00:00:00Z", []string{"2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z",
			"2026-07-31T00:00:00Z"}},
		{"either day is enough", "0 0 13 * 5", "", "2026-11-12T00:00:00Z", []string{"2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"}},
		{"Berlin put forward: 02:30 is not there", "30 2 * * *", berlin, "2026-03-27T12:00:00Z",
			[]string{"2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"}},
		{"Berlin put forward: 02:00 and 03:00 are one moment", "0 2,3 * * *", berlin, "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"}},
		{"Berlin put back: 02:30 comes twice", "30 2 * * *", berlin, "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}},
		{"Berlin put back: 02:00", "0 2 * * *", berlin, "2026-10-24T12:00:00Z", []string{"2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"}},
		{"Berlin put back: 03:00 is once anyway", "0 3 * * *", berlin, "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T02:00:00Z", "2026-10-26T02:00:00Z"}},
		{"Berlin put back, asked in the repeated hour", "30 2 * * *", berlin, "2026-10-25T01:10:00Z", []string{"2026-10-26T01:30:00Z"}},
		{"Berlin put back, every quarter of some hours", "*/30 1-3 * * *", berlin, "2026-10-24T23:30:00Z",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:30:00Z"}},
		{"Berlin put back, every hour goes on", "@hourly", berlin, "2026-10-24T23:30:00Z",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"}},
		{"Berlin put forward, every half past", "30 * * * *", berlin, "2026-03-29T00:00:00Z",
			[]string{"2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"}},
		{"New York put forward", "30 2 * * *", newYork, "2026-03-07T12:00:00Z", []string{"2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"}},
		{"New York put back", "30 1 * * *", newYork, "2026-10-31T12:00:00Z", []string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"}},
		{"New York every weekday morning over the change", "0 9 * * 1-5", newYork, "2026-03-06T15:00:00Z", []string{"2026-03-09T13:00:00Z"}},
		{"Lord Howe changes by half an hour", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z",
			[]string{"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"}},
		{"Cairo has no midnight", "@daily", "Africa/Cairo", "2026-04-23T00:00:00Z", []string{"2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(t, c.expression, c.zone)
			var got []string
			for _, due := range p.NextN(at(t, c.after), len(c.want)) {
				got = append(got, due.Format(time.RFC3339))
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestSweepEveryTimeOnceADay walks two years of days in zones with odd changes: a time
// of the day is due exactly once on each day, whatever the clocks do.
func TestSweepEveryTimeOnceADay(t *testing.T) {
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago",
		"Asia/Kathmandu"} {
		location, err := time.LoadLocation(zone)
		require.NoError(t, err)
		for minute := 0; minute < 24*60; minute += 15 {
			p := plan(t, fmt.Sprintf("%d %d * * *", minute%60, minute/60), zone)
			due := p.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, location).Add(-1))
			for day := range 730 {
				want := time.Date(2026, 1, 1+day, 12, 0, 0, 0, location).Format(time.DateOnly)
				require.Equal(t, want, due.In(location).Format(time.DateOnly), "%s minute %d", zone, minute)
				due = p.Next(due)
			}
		}
	}
}

// TestHourlyIsEvenlySpaced holds plans for every hour to the time that passes.
func TestHourlyIsEvenlySpaced(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Africa/Cairo"} {
		p := plan(t, "*/10 * * * *", zone)
		due := p.Next(at(t, "2026-01-01T00:00:00Z"))
		for range 365 * 24 * 6 {
			next := p.Next(due)
			require.Equal(t, 10*time.Minute, next.Sub(due), "%s after %s", zone, due)
			due = next
		}
	}
}

func TestLast(t *testing.T) {
	minute, yearly := plan(t, "* * * * *", ""), plan(t, "@yearly", "")
	from := at(t, "2026-01-01T00:00:00Z")
	require.Equal(t, from, minute.Last(from, from))
	require.Equal(t, from, minute.Last(from, from.Add(59*time.Second)))
	require.Equal(t, from.Add(time.Minute), minute.Last(from, from.Add(time.Minute)))
	require.Equal(t, at(t, "2029-06-05T04:03:00Z"), minute.Last(from, at(t, "2029-06-05T04:03:02Z")))
	require.Equal(t, at(t, "2029-01-01T00:00:00Z"), yearly.Last(from, at(t, "2029-12-31T23:59:59Z")))
	require.Equal(t, from, yearly.Last(from, at(t, "2026-12-31T23:59:59Z")))
}

func TestJitterIsTheSameEverywhereAndSpread(t *testing.T) {
	due := at(t, "2026-01-01T00:00:00Z")
	require.Zero(t, Jitter("a", due, due.Add(time.Hour), 0))
	require.Zero(t, Jitter("a", due, due.Add(time.Hour), 999*time.Millisecond))
	parts := make([]int, 10)
	for i := range 10_000 {
		d := Jitter(fmt.Sprintf("schedule-%d", i), due, due.Add(24*time.Hour), time.Hour)
		require.Equal(t, d, Jitter(fmt.Sprintf("schedule-%d", i), due, due.Add(24*time.Hour), time.Hour))
		require.True(t, d >= 0 && d < time.Hour)
		parts[d/(6*time.Minute)]++
	}
	for _, n := range parts {
		require.InDelta(t, 1000, n, 150, "%v", parts)
	}
	for i := range 1000 {
		require.Less(t, Jitter("a", due.Add(time.Duration(i)*time.Minute), due.Add(time.Duration(i+1)*time.Minute), time.Hour), time.Minute,
			"before the next due time")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"* * * * *", "@daily", "30 5 * * 1-5", "0 0 29 2 *", "TZ=", "*/0 * * * *", "?-? 1,2,3-4/2 L * *",
		"@every 1ns"} {
		f.Add(seed, "Europe/Berlin")
	}
	after := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, expression, zone string) {
		defer fuzztest.Bound(t)()
		p, err := Parse(expression, zone)
		if err != nil {
			return
		}
		last := after
		for _, due := range p.NextN(after, 20) {
			if !due.After(last) || due.Second() != 0 && zone == "" {
				t.Fatalf("%q in %q: %s follows %s", expression, zone, due, last)
			}
			last = due
		}
	})
}
