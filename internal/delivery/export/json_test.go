package export_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func validJSON(t *testing.T, d export.Document, file []byte) {
	in, err := export.ReadJSON(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, d.Assessment, in.Assessment)
	require.Equal(t, d.Checks, in.Checks)
	said := all(t, d)
	for i := range said {
		said[i].Words = nil // only what they became is written
	}
	require.Equal(t, said, all(t, in.Document()))
	require.ElementsMatch(t, exporttest.Paths(&d), in.Paths)
	g, err := graph.Collect(d.Graph)
	require.NoError(t, err)
	require.Equal(t, g, in.Graph)
	require.Equal(t, string(file), string(write(t, format(t, "json"), in.Document())), "what was read must write the same bytes")
}

func TestReadJSONRefuses(t *testing.T) {
	good := string(write(t, format(t, "json"), exporttest.Document(2)))
	_, err := export.ReadJSON(strings.NewReader(good))
	require.NoError(t, err)
	cut := func(name string) string {
		return strings.Replace(good, `"`+name+`":`, `"`+name+`":null,"serviceVersion":`, 1)
	}
	swap := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "unexpected end"},
		{"not an object", "[]", "cannot unmarshal"},
		{"another file", `{"version":"2.1.0"}`, "version"},
		{"another format", swap(`"edgeposture-assessment"`, `"other"`), `its format is "other"`},
		{"a newer version", swap(`"version":1`, `"version":2`), "its version is 2 and this service reads version 1"},
		{"no version", swap(`"version":1,`, ``), "its version is 0"},
		{"an unknown member", swap(`"version":1,`, `"version":1,"extra":true,`), `unknown field "extra"`},
		{"an unknown member of a finding", swap(`{"id":`, `{"bad":1,"id":`), `unknown field "bad"`},
		{"two documents", good + "{}", "after top-level value"},
		{"cut off", good[:len(good)-40], "unexpected end"},
		{"no graph", cut("graph"), "unmarshal"},
		{"findings null", good[:strings.Index(good, `"findings":[`)] + `"findings":null,"attackPaths":[],"graph":{}}`, "it has no findings"},
		{"checks left out", `{"format":"edgeposture-assessment","version":1,"assessment":{"id":"a"},"findings":[],"attackPaths":[],"graph":{}}`,
			"it has no checks"},
		{"an unknown result", swap(`"result":"FAIL"`, `"result":"GOOD"`), `finding 1: its result "GOOD" is not known`},
		{"an unknown severity", swap(`"risk"`, `"severity":"worst","risk"`), `its severity "worst" is not known`},
		{"an unknown status", swap(`"status":"open"`, `"status":"gone"`), `its status "gone" is not known`},
		{"a null finding", swap(`"findings":[`, `"findings":[null,`), "finding 1: its id or check id is empty"},
		{"a check without id", swap(`{"checkId":"CFL`, `{"category":"ssl"},{"checkId":"CFL`), "check 1"},
		{"no assessment id", swap(`"assessment":{"id":"`+exporttest.Document(2).Assessment.ID+`"`, `"assessment":{"id":""`), "no id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, err := export.ReadJSON(strings.NewReader(c.file))
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "read the assessment file")
			require.Empty(t, in.Findings, "a refused file must give nothing")
		})
	}
}

// TestReadJSONRefusesTinyValues: 20 MB of them took 13 GB.
func TestReadJSONRefusesTinyValues(t *testing.T) {
	for _, value := range []string{"{}", "null", "0"} {
		_, err := export.ReadJSON(strings.NewReader(`{"findings":[` + strings.Repeat(value+",", 20_000) + value + `]}`))
		require.ErrorContains(t, err, "far more values", value)
	}
}

func TestReadJSONRefusesAFindingTwice(t *testing.T) {
	d := exporttest.Document(2)
	findings := all(t, d)
	d.Findings = exporttest.Of(append(findings, findings[0]))
	_, err := export.ReadJSON(bytes.NewReader(write(t, format(t, "json"), d)))
	require.ErrorContains(t, err, "comes twice")
}

func TestReadJSONTellsWhatTheReaderSaid(t *testing.T) {
	broken := errors.New("too large")
	_, err := export.ReadJSON(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

// FuzzReadJSON holds that whatever is accepted writes bytes that are accepted
// again and write themselves.
func FuzzReadJSON(f *testing.F) {
	for n := range 3 { // small ones: the fuzzer changes few bytes at a time
		var b bytes.Buffer
		if err := export.Formats()[0].Write(&b, exporttest.Large(n)); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(`{"format":"edgeposture-assessment","version":1,"assessment":{"id":"a"},"checks":[],"findings":[],"attackPaths":[],` +
		`"graph":{}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		defer fuzztest.Bound(t)()
		in, err := export.ReadJSON(bytes.NewReader(file))
		if err != nil {
			return
		}
		once := write(t, export.Formats()[0], in.Document())
		again, err := export.ReadJSON(bytes.NewReader(once))
		require.NoError(t, err)
		require.Equal(t, string(once), string(write(t, export.Formats()[0], again.Document())))
	})
}
