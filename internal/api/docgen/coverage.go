package docgen

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

//go:embed products.tsv
var productTable string

//go:embed peers.tsv
var peerTable string

// rows splits a table of tab-separated values; missing values at the end of a line are empty.
func rows(table string) (out [][3]string) {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var row [3]string
		copy(row[:], strings.Split(strings.TrimSpace(line), "\t"))
		out = append(out, row)
	}
	return out
}

// Coverage returns the page about what is read and judged of each Cloudflare product, and about
// what other tools check. Sources of no listed product are listed under Others. It fails when a
// product is not read, or a check of another tool has no counterpart here, and no reason is given.
func Coverage(all []check.Check, sources []snapshot.Source) (string, error) {
	var b strings.Builder
	b.WriteString("# Coverage\n\n" + generated + "What is read of each product of Cloudflare and which checks judge it; a product that is " +
		"not read says why. Further down: what other tools check, and where that is found here.\n\n## By product\n\n" +
		"| Product | What is read | Checks | Not covered, and why |\n|---|---|---|---|\n")
	products := append(rows(productTable), [3]string{"Others"})
	read := make([][]string, len(products))
	for _, s := range sources {
		at := owner(products, s.Path)
		if at < 0 {
			at = len(products) - 1
		}
		read[at] = append(read[at], s.Name)
	}
	for i, p := range products {
		if i == len(products)-1 && len(read[i]) == 0 {
			continue
		}
		if len(read[i]) == 0 && p[2] == "" {
			return "", fmt.Errorf("nothing is read of %s, and products.tsv does not say why", p[0])
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p[0], join(read[i]), strings.Join(readers(all, read[i]), " "), p[2])
	}
	if err := peers(&b, all); err != nil {
		return "", err
	}
	return b.String(), nil
}

// owner returns the index of the product whose path is the longest prefix of an API path, or -1. A
// product path that ends with $ must match exactly.
func owner(products [][3]string, path string) int {
	at, most := -1, 0
	for i, p := range products {
		for own := range strings.SplitSeq(p[1], ",") {
			whole, exact := strings.CutSuffix(own, "$")
			if len(own) > most && (exact && path == whole || !exact && strings.HasPrefix(path, own)) {
				at, most = i, len(own)
			}
		}
	}
	return at
}

// readers returns the short ids of the checks that read any of the sources, sorted.
func readers(all []check.Check, names []string) (out []string) {
	for _, c := range all {
		if slices.ContainsFunc(slices.Concat(c.Needs, c.Optional), func(n snapshot.Named) bool { return slices.Contains(names, n.Source()) }) {
			out = append(out, strings.TrimPrefix(c.ID, "CFL-"))
		}
	}
	slices.Sort(out)
	return out
}

func join(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	return strings.Join(quoted, " ")
}

// peers writes the tables of what other tools check.
func peers(b *strings.Builder, all []check.Check) error {
	ours := map[string][]string{}
	for _, c := range all {
		for _, a := range c.Aliases {
			ours[a] = append(ours[a], c.ID)
		}
	}
	titles := map[string]string{"prowler": "Prowler", "cnspec": "Mondoo cnspec", "cfsi": "Cloudflare Security Insights",
		"flareinspect": "FlareInspect"}
	last := ""
	for _, p := range rows(peerTable) {
		if p[0] != last {
			last = p[0]
			fmt.Fprintf(b, "\n## %s\n\n| Theirs | Here |\n|---|---|\n", titles[last])
		}
		here := ours[p[0]+":"+p[1]]
		slices.Sort(here)
		answer := strings.Join(here, ", ")
		switch {
		case answer == "" && p[2] == "":
			return fmt.Errorf("the check %s of %s has neither a check here nor a reason why not", p[1], titles[p[0]])
		case answer == "":
			answer = "none: " + p[2]
		}
		fmt.Fprintf(b, "| %s | %s |\n", p[1], answer)
	}
	return nil
}
