package command

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

const declared = `accounts:
  - account: default
    labels: [production, eu]
    policy: {uploadedCertDays: 45}
    afterRun: {ship: file, notify: [webhook]}
exceptions:
  - account: default
    match: {checkIds: [CFL-SSL-001], zones: [a.example]}
    reason: The origin moves in spring.
    owner: web-team
    expiresAt: 2027-03-01
ownership:
  rules:
    - {owner: dns-team, category: dns}
    - owner: web-team
      zone: "*.example"
  sla: {critical: 3}
schedules:
  - account: default
    cron: "0 6 * * 1-5"
    timeZone: Europe/Berlin
    request: {profile: core}
    paused: false
`

var sentenceForm = regexp.MustCompile(`^file\.yaml:[1-9]\d*:[1-9]\d*: \S[^\n]*; \S[^\n]*$`)

// broken are files that somebody might have meant.
func broken() (all []string) {
	lines := strings.Split(strings.TrimSuffix(declared, "\n"), "\n")
	join := func(l []string) string { return strings.Join(l, "\n") + "\n" }
	edit := func(i int, line string) string {
		out := append([]string{}, lines...)
		out[i] = line
		return join(out)
	}
	key := regexp.MustCompile(`^(\s*(?:- )?)(\w+):(.*)$`)
	for i, line := range lines {
		if m := key.FindStringSubmatch(line); m != nil {
			all = append(all, edit(i, m[1]+m[2]+"x:"+m[3]), edit(i, m[1]+m[2]+": {}"+m[3]+"}"), edit(i, m[1]+m[2]+": ["+m[3]),
				edit(i, m[1]+m[2]+m[3]), edit(i, m[1]+m[2]+": \""+m[3]), edit(i, m[1]+"? "+m[2]+":"+m[3]), edit(i, "\t"+line),
				edit(i, m[1]+m[2]+": *missing"))
			if !strings.HasSuffix(line, ":") {
				all = append(all, join(append(append(append([]string{}, lines[:i+1]...), strings.Replace(line, "- ", "  ", 1)), lines[i+1:]...)))
			}
		}
	}
	return append(all, "", "null\n", "[]\n", "text\n", "{}\n", "accounts: {}\n", "accounts: [1]\n", "accounts: [{}]\n",
		"exceptions: [{match: {}}]\n", "schedules: [{account: a, cron: 5}]\n", "ownership: {rules: [{owner: ''}]}\n", "ownership: {rules: x}\n",
		"exceptions: [{match: {pattern: a}, reason: r, owner: o, expiresAt: tomorrow}]\n", "accounts: &a [*a]\n", "? [a]\n: b\n",
		"accounts: []\n---\naccounts: []\n", "ownership: {rules: [], sla: {critical: -1}}\n",
		"schedules: [{account: a, cron: c, overlap: both}]\n", "<<: {}\n", "accounts: [{account: a, labels: a}]\n",
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"+
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n", "\x00", "\xff\xfe", "accounts: [{account: 2027-01-01}, {}]\n")
}

// TestBrokenDeclarations: each file that is wrong gets one sentence that says where, what and what to do.
func TestBrokenDeclarations(t *testing.T) {
	d, err := parseDeclaration("file.yaml", []byte(declared))
	require.NoError(t, err)
	require.Equal(t, "file.yaml:7:5", d.at("exceptions", "0"))
	seen := map[string]bool{}
	for _, text := range broken() {
		_, err := parseDeclaration("file.yaml", []byte(text))
		if err == nil && (strings.Contains(text, "? ") || strings.HasPrefix(text, "accounts: &a")) {
			continue // a complex key that is a plain one
		}
		require.Error(t, err, text)
		require.Regexp(t, sentenceForm, err.Error(), text)
		require.Less(t, len(err.Error()), 400)
		seen[text] = true
	}
	require.GreaterOrEqual(t, len(seen), 200)
	t.Log(len(seen), "broken files")
}

// TestWhereDeclarationsAreWrong holds some of the sentences.
func TestWhereDeclarationsAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"accounts:\n  - account: a\n    lables: [x]\n": `file.yaml:3:5: "lables" is not known here; ` +
			`use account, afterRun, excludeZones, labels, policy, zones`,
		"exceptions:\n  - match: {checkIds: [A]}\n    reason: r\n": `file.yaml:2:5: owner is missing; add it`,
		"schedules:\n  - account: a\n    cron: 5\n":                `file.yaml:3:11: "cron" is a number and should be a text; write it so`,
		"ownership: {rules: [], sla: {high: soon}}\n":              `file.yaml:1:36: "high" is a text and should be a whole number; write it so`,
		"accounts:\n- account: a\n  account: b\n":                  `file.yaml:3:3: "account" is here a second time; keep one`,
		"accounts: []\n\n---\nschedules: []\n---\naccounts: []\n":  `file.yaml:3:1: a second document begins here; use one file for each`,
		"accounts: []\n---\nschedules: [\n": `file.yaml:3:1: this is not YAML ` +
			`(did not find expected node content); correct it`,
		"accounts:\n  - account: a\n    labels: [x\n": `file.yaml:2:3: this is not YAML ` +
			`(did not find expected ',' or ']'); correct it`,
	} {
		_, err := parseDeclaration("file.yaml", []byte(text))
		require.EqualError(t, err, want)
	}
}

func FuzzDeclaration(f *testing.F) {
	f.Add(declared)
	for _, text := range broken()[:20] {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer fuzztest.Bound(t)()
		if _, err := parseDeclaration("file.yaml", []byte(text)); err != nil {
			require.NotContains(t, fmt.Sprint(err), "\n")
		}
	})
}
