package snapshot

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func sample(t testing.TB) *Builder {
	t.Helper()
	b := NewBuilder(AccountRef{ID: "a1", Name: "Acme"}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	b.Zones = []Zone{{ID: "z2", Name: "b.example"}, {ID: "z1", Name: "a.example"}}
	Put(b, ZoneList, "a1", b.Zones)
	Put(b, ZoneDNSSEC, "z1", DNSSEC{Status: "active"})
	b.Set(Section{Source: ZoneDNSSEC.Source(), Scope: "z2", Status: Denied, Permission: "Zone: DNS Read"})
	return b
}

func build(t testing.TB, b *Builder) *Snapshot {
	t.Helper()
	s, err := b.Build()
	require.NoError(t, err)
	return s
}

func TestUnreadSectionsHaveNoValue(t *testing.T) {
	s := build(t, sample(t))
	v, sec := Read(s, ZoneDNSSEC, "z1")
	require.Equal(t, OK, sec.Status)
	require.Equal(t, "active", v.Status)
	v, sec = Read(s, ZoneDNSSEC, "z2")
	require.Equal(t, Denied, sec.Status)
	require.Zero(t, v)
	v, sec = Read(s, ZoneDNSSEC, "never planned")
	require.Equal(t, Failed, sec.Status)
	require.Zero(t, v)
	require.False(t, sec.Status.Known())
}

func TestDigestIsThatOfTheContent(t *testing.T) {
	b := sample(t)
	want := build(t, b).Digest()
	sections := build(t, b).Sections()
	for range 20 {
		rand.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
		s, err := New(b.Account, b.TakenAt.Add(time.Hour), []Zone{b.Zones[1], b.Zones[0]}, sections)
		require.NoError(t, err)
		require.Equal(t, want, s.Digest(), "order and instant do not count")
	}
	Edit(b, ZoneDNSSEC, "z1", func(d *DNSSEC) { d.Status = "pending" })
	require.NotEqual(t, want, build(t, b).Digest())
}

func TestTwoSectionsOfOneScopeAreAnError(t *testing.T) {
	s := Section{Source: "zone/dnssec", Scope: "z1", Status: OK}
	_, err := New(AccountRef{}, time.Time{}, nil, []Section{s, s})
	require.ErrorContains(t, err, "twice")
}

// TestLargeValuesComeBack: a snapshot packs what is large, which nobody sees.
func TestLargeValuesComeBack(t *testing.T) {
	records := make([]DNSRecord, 300)
	for i := range records {
		records[i] = DNSRecord{ID: strconv.Itoa(i), Name: "host.example", Type: "A"}
	}
	value, err := Canonical(records)
	require.NoError(t, err)
	large := Section{Source: ZoneDNSRecords.Source(), Scope: "z1", Status: OK, Value: value}
	s, err := New(AccountRef{ID: "a"}, time.Time{}, nil, []Section{large})
	require.NoError(t, err)
	require.Less(t, len(s.byKey[large.Source]["z1"].Value), len(value)/4)
	require.Equal(t, []Section{large}, s.Sections())
	d := NewDigester("a", nil)
	d.Add(large)
	require.Equal(t, d.Sum(), s.Digest())
	got, sec := Read(s, ZoneDNSRecords, "z1")
	require.Equal(t, records, got)
	large.Value = nil
	require.Equal(t, large, sec)
	require.Equal(t, large, s.Section(large.Source, "z1"))
}

func TestWith(t *testing.T) {
	s := build(t, sample(t))
	digest := s.Digest()
	more, err := s.With(Section{Source: ZoneDNSSEC.Source(), Scope: "z3", Status: Absent}, Section{Source: "zone/other", Scope: "z1",
		Status: OK, Value: []byte("1")})
	require.NoError(t, err)
	require.Equal(t, digest, s.Digest(), "a snapshot never changes")
	require.Equal(t, []string{"z1", "z2", "z3"}, more.Scopes(ZoneDNSSEC.Source()))
	whole, err := New(s.Account, s.TakenAt, s.Zones, more.Sections())
	require.NoError(t, err)
	require.Equal(t, whole.Digest(), more.Digest())
	require.Len(t, more.Sections(), len(s.Sections())+2)
	_, err = more.With(Section{Source: ZoneDNSSEC.Source(), Scope: "z1"})
	require.ErrorContains(t, err, "twice")
}

func TestTimeReadsWhatTheProviderWrites(t *testing.T) {
	want := time.Date(2029, 12, 31, 10, 0, 0, 0, time.UTC)
	for _, s := range []string{`"2029-12-31T10:00:00Z"`, `"2029-12-31T11:00:00+01:00"`, `"2029-12-31 10:00:00 +0000 UTC"`,
		`"2029-12-31T10:00:00"`, `"2029-12-31 10:00:00"`} {
		var v Time
		require.NoError(t, json.Unmarshal([]byte(s), &v), s)
		require.True(t, want.Equal(v.Time), s)
	}
	for _, s := range []string{`null`, `""`, `"soon"`, `5`} {
		v := At(want)
		require.NoError(t, json.Unmarshal([]byte(s), &v), s)
		require.True(t, v.IsZero(), s)
	}
}

func TestSettings(t *testing.T) {
	s := Settings{}.With("ssl", "strict").With("challenge_ttl", 1800).With("security_header",
		map[string]HSTS{"strict_transport_security": {Enabled: true, MaxAge: 5}})
	v, ok := s.Text("ssl")
	require.True(t, ok)
	require.Equal(t, "strict", v)
	v, ok = s.Text("challenge_ttl")
	require.True(t, ok)
	require.Equal(t, "1800", v)
	_, ok = s.Text("security_header")
	require.False(t, ok)
	h, ok := s.HSTS()
	require.True(t, ok)
	require.Equal(t, 5, h.MaxAge)
	_, ok = s.Without("ssl").Text("ssl")
	require.False(t, ok)
}
