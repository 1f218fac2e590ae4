// Package docgen generates the reference pages from the catalogue itself, so that they cannot
// contradict the code.
package docgen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

const generated = "<!-- Written by `make gen` from the catalogue; do not edit. -->\n\n"

// Checks returns the page of all checks, by category and id.
func Checks(all []check.Check, sources []snapshot.Source) string {
	var b strings.Builder
	b.WriteString("# Checks\n\n" + generated)
	fmt.Fprintf(&b, "%d checks in %d categories. A check that cannot read what it needs is UNKNOWN and names the permission it lacks.\n\n",
		len(all), len(byCategory(all)))
	b.WriteString("| Category | " + strings.Join(severities(), " | ") + " | Sum |\n|---|" + strings.Repeat("--:|", len(severities())+1) + "\n")
	groups := byCategory(all)
	for _, category := range posture.Categories() {
		if group := groups[category]; len(group) > 0 {
			fmt.Fprintf(&b, "| [%s](#%s) |%s %d |\n", category, category, counts(group), len(group))
		}
	}
	fmt.Fprintf(&b, "| all |%s %d |\n\n", counts(all), len(all))
	permission := permissions(sources)
	for _, category := range posture.Categories() {
		if len(groups[category]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\n", category)
		for _, c := range groups[category] {
			writeCheck(&b, c, permission)
		}
	}
	thresholds(&b)
	return b.String()
}

func writeCheck(b *strings.Builder, c check.Check, permission map[string]string) {
	fmt.Fprintf(b, "### %s: %s\n\n", c.ID, c.Title)
	plans := "any"
	if len(c.Plans) > 0 {
		plans = strings.Join(c.Plans, ", ")
	}
	fmt.Fprintf(b, "**%s** · judged per %s, reported on %s · plans: %s\n\n", c.Severity, c.Scope, c.Resource, plans)
	fmt.Fprintf(b, "%s *Fix:* %s\n\n", c.Why, c.Fix)
	fmt.Fprintf(b, "- Reads: %s\n", codes(c.Needs))
	if len(c.Optional) > 0 {
		fmt.Fprintf(b, "- Reads when it can: %s\n", codes(c.Optional))
	}
	var need []string
	for _, n := range slices.Concat(c.Needs, c.Optional) {
		if p := permission[n.Source()]; p != "" && !slices.Contains(need, p) {
			need = append(need, p)
		}
	}
	fmt.Fprintf(b, "- Permissions: %s\n", strings.Join(need, " · "))
	named := c.Controls.Named()
	fmt.Fprintf(b, "- Controls: CIS %s · SOC 2 %s · PCI DSS %s · NIST CSF %s\n", list(named.CIS), list(named.SOC2), list(named.PCI),
		list(named.NIST))
	if r := c.Remedy; r != nil {
		undo := "can be undone"
		if !r.Reversible {
			undo = "cannot be undone"
		}
		fmt.Fprintf(b, "- Remedy: `%s`, %s risk, %s. %s\n", r.Operation, r.Risk, undo, r.Caution)
		for _, in := range r.Inputs {
			fmt.Fprintf(b, "  - `%s`: %s, such as `%s`\n", in.Name, strings.TrimSuffix(in.Description, "."), in.Example)
		}
	}
	if len(c.Paths) > 0 {
		fmt.Fprintf(b, "- Attack paths: %s\n", strings.Join(c.Paths, ", "))
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "- Known elsewhere as: %s\n", strings.Join(c.Aliases, ", "))
	}
	fmt.Fprintf(b, "- References: %s\n\n", links(c.References))
}

// tokenKinds is a table of the differences between what each kind of token can read
// (developers.cloudflare.com/fundamentals/api/get-started/account-owned-tokens/#compatibility-matrix).
const tokenKinds = `| What is read | A token of a user | A token the account owns |
|---|---|---|
| The account | found by itself when the token sees one | found by its zones; name it with ` + "`accountId`" + ` when it sees none |
| Page rules | read | never: these findings are UNKNOWN and say so; register a token of a user to have them judged |
| Tokens of people | those of the token's owner | never; the tokens of the account are read |
| Everything else below | read | read |

`

// Permissions returns the page about the permissions that a token needs and why.
func Permissions(all []check.Check, sources []snapshot.Source) string {
	var b strings.Builder
	b.WriteString("# Permissions of the API token\n\n" + generated)
	b.WriteString("A token with every permission below judges every check. One that lacks some judges the rest: what it cannot read is " +
		"UNKNOWN, and the\n" +
		"coverage of the assessment names the permission. `GET /api/accounts/default/permissions` tries them on the account and gives a link " +
		"to\n" +
		"Cloudflare's token form with those that are missing. Edgeposture never needs a permission that ends in Write to assess.\n\n")
	b.WriteString(tokenKinds)
	by := map[string][]snapshot.Source{}
	for _, s := range sources {
		by[s.Permission] = append(by[s.Permission], s)
	}
	names := cloudflare.Grants(sources)
	form := cloudflare.TokenForm(names, false, "")
	fmt.Fprintf(&b, "[Open the token form](%s), or [that of a token the account owns](%s), with all of them filled in, except %d "+
		"the form cannot be told (marked ✎): choose those there. Those marked ? are in the link under a key that Cloudflare does not "+
		"document: check that the form shows them.\n\n", form.URL, cloudflare.TokenForm(names, true, "").URL, len(form.ByHand))
	b.WriteString("| Permission in the dashboard | Group in the API | Checks that need it | Reads |\n|---|---|--:|---|\n")
	for _, name := range names {
		mark := ""
		if slices.Contains(form.ByHand, name) {
			mark = " ✎"
		}
		if slices.Contains(form.Undocumented, name) {
			mark = " ?"
		}
		var reads []string
		for _, s := range by[name] {
			reads = append(reads, "`"+s.Name+"`")
		}
		fmt.Fprintf(&b, "| %s%s | %s | %d | %s |\n", name, mark, cloudflare.PermissionGroup(name), dependents(all, by[name]),
			strings.Join(reads, ", "))
	}
	return b.String()
}

func dependents(all []check.Check, sources []snapshot.Source) int {
	n := 0
	for _, c := range all {
		if slices.ContainsFunc(c.Needs, func(need snapshot.Named) bool {
			return slices.ContainsFunc(sources, func(s snapshot.Source) bool { return s.Name == need.Source() })
		}) {
			n++
		}
	}
	return n
}

func permissions(sources []snapshot.Source) map[string]string {
	out := map[string]string{}
	for _, s := range sources {
		out[s.Name] = s.Permission
	}
	return out
}

// thresholds lists every policy setting with its default.
func thresholds(b *strings.Builder) {
	b.WriteString("## Thresholds\n\nSet per account with `PATCH /api/accounts/{id}` and `{\"policy\": {…}}`; null gives the default " +
		"back.\n\n| Field | Default | Meaning |\n|---|---|---|\n")
	v := reflect.ValueOf(policy.Default())
	for i := range v.NumField() {
		f := v.Type().Field(i)
		value := fmt.Sprint(v.Field(i).Interface())
		switch {
		case v.Field(i).Kind() == reflect.Slice:
			value = "none"
		case value == "":
			value = "not said"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.Tag.Get("json"), value, f.Tag.Get("doc"))
	}
}

func byCategory(all []check.Check) map[posture.Category][]check.Check {
	out := map[posture.Category][]check.Check{}
	for _, c := range all {
		out[c.Category] = append(out[c.Category], c)
	}
	return out
}

func severities() []string {
	var out []string
	for _, s := range posture.Severities() {
		out = append(out, string(s))
	}
	return out
}

func counts(group []check.Check) string {
	var b strings.Builder
	for _, s := range posture.Severities() {
		n := 0
		for _, c := range group {
			if c.Severity == s {
				n++
			}
		}
		if n == 0 {
			b.WriteString(" |")
			continue
		}
		fmt.Fprintf(&b, " %d |", n)
	}
	return b.String()
}

func codes(names []snapshot.Named) string {
	var out []string
	for _, n := range names {
		out = append(out, "`"+n.Source()+"`")
	}
	return strings.Join(slices.Compact(out), ", ")
}

func list(ids []string) string { return strings.Join(ids, ", ") }

func links(refs []string) string {
	var out []string
	for _, r := range refs {
		if strings.HasPrefix(r, "https://") {
			r = "<" + r + ">"
		}
		out = append(out, r)
	}
	return strings.Join(out, ", ")
}
