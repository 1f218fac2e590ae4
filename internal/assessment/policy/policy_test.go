package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestParse(t *testing.T) {
	for _, nothing := range []string{"", " ", "null", "{}"} {
		p, err := Parse([]byte(nothing))
		require.NoError(t, err)
		require.Equal(t, Default(), p)
	}
	p, err := Parse([]byte(`{"tokenFailDays":7,"parkedZones":["old.example"],"appsServe":"internal"}`))
	require.NoError(t, err)
	require.Equal(t, 7, p.TokenFailDays)
	require.Equal(t, 30, p.TokenWarnDays, "what is not named keeps its default")
	require.Equal(t, []string{"old.example"}, p.ParkedZones)
	for text, says := range map[string]string{
		`{"tokenFailDays":0}`: "tokenFailDays is 0", `{"tokenFailDays":-3}`: "tokenFailDays", `{"tokenFailDays":99999999}`: "tokenFailDays",
		`{"tokenFailDays":"x"}`: "tokenFailDays", `{"odd":1}`: "odd", `[]`: "object", `{}{}`: "after", `{"tokenFailDays":40}`: "tokenWarnDays",
		`{"appsServe":"all"}`: "appsServe", `{"adminPercent":101}`: "adminPercent", `{"adminPercent":0}`: "adminPercent", `{`: "object",
	} {
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"tokenFailDays":7}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		defer fuzztest.Bound(t)()
		p, err := Parse(raw)
		if err == nil && p.check() != nil {
			t.Fatal("a policy that does not hold")
		}
	})
}
