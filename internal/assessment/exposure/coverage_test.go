package exposure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestCoverOfZone(t *testing.T) {
	all, part, none, open := Coverage{truth.Yes, truth.Yes}, Coverage{truth.No, truth.Yes}, Coverage{truth.No, truth.No},
		Coverage{truth.Undecided, truth.Undecided}
	ent := snapshot.Zone{Name: "shop.example", Plan: "enterprise"}
	for text, want := range map[string]Coverage{
		" true ": all, "false": none, "not false": all, `cf.zone.plan eq "ENT"`: all, `cf.zone.plan eq "FREE"`: none,
		`cf.zone.name in {"a" "shop.example"}`: all,
		`not cf.zone.name in {"shop.example"}`: none, `cf.zone.name matches "shop"`: open, `cf.zone.name in $zones`: open,
		`cf.zone.odd eq "x"`:          open,
		`http.host eq "shop.example"`: part, `http.host eq "other.example"`: none, `not http.host eq "other.example"`: all,
		`ip.src eq 1.2.3.4`:              part,
		`cf.zone.name in $zones and ssl`: {truth.No, truth.Undecided}, `cf.zone.name in $zones or ssl`: {truth.Undecided, truth.Yes},
		`cf.zone.plan eq "ENT" xor ssl`: part, "(": open,
	} {
		require.Equal(t, want, Cover(text, OfZone(ent)), text)
	}
	require.Equal(t, open, Cover(`cf.zone.plan eq "ENT"`, OfZone(snapshot.Zone{Name: "a", Plan: "odd"})))
	for text, want := range map[string]Coverage{`cf.zone.name eq "bücher.example"`: open, `cf.zone.name eq "xn--bcher-kva.example"`: open,
		`cf.zone.name eq "gone.example"`: {All: truth.No, Some: truth.No}, `cf.zone.name ne "gone.example"`: {All: truth.Yes, Some: truth.Yes},
		`cf.zone.name in {"bücher.example" "xn--bcher-kva.example"}`: {All: truth.Yes, Some: truth.Yes}} {
		require.Equal(t, want, Cover(text, OfZone(snapshot.Zone{Name: "xn--bcher-kva.example"})), text)
	}
	require.Equal(t, open, Cover(`cf.zone.name eq "gone.example"`, OfZone(snapshot.Zone{Name: "xn--0.example"})))
	for plan, word := range map[string]string{"free": "FREE", "pro": "PRO", "business": "BIZ"} {
		require.Equal(t, all, Cover(`cf.zone.plan eq "`+word+`"`, OfZone(snapshot.Zone{Plan: plan})))
	}
}
