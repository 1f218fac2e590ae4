package policy

import (
	"testing"
	"time"

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
	p, err = Parse([]byte(`{"challengeMax":31536000,"challengeFail":31536000,"tokenUnusedDays":1000000}`))
	require.NoError(t, err, "a passage of a year is allowed by Cloudflare, and a million days mean never")
	require.Equal(t, 31536000, p.ChallengeFail)
	require.Positive(t, time.Duration(p.TokenUnusedDays)*24*time.Hour, "checks count in durations")
	for text, says := range map[string]string{
		`{"tokenFailDays":0}`: "tokenFailDays is 0", `{"tokenFailDays":-3}`: "tokenFailDays", `{"tokenFailDays":99999999}`: "tokenFailDays",
		`{"tokenFailDays":"x"}`: "tokenFailDays", `{"odd":1}`: "odd", `[]`: "object", `{}{}`: "after", `{"tokenFailDays":40}`: "tokenWarnDays",
		`{"appsServe":"all"}`: "appsServe", `{"adminPercent":101}`: "adminPercent", `{"adminPercent":0}`: "adminPercent", `{`: "object",
		`{"challengeFail":31536001}`: "from 1 to 31536000", `{"sessionHours":1000001}`: "from 1 to 1000000",
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
