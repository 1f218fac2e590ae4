package simcloud

import (
	"fmt"
	"strings"
)

func plantsEmail() []Plant {
	dmarc := func(check, variant, result, text string) Plant {
		return zonal(check, variant, result, "dmarc", func(z *zone) {
			z.find("TXT", "_dmarc."+z.name).Content = `"` + strings.ReplaceAll(text, "%s", z.name) + `"`
		})
	}
	return []Plant{
		zonal("CFL-EMAIL-001", "missing", failed, "spf", func(z *zone) {
			id := z.apexText("v=spf1").ID
			z.drop(func(r record) bool { return r.ID == id })
		}),
		zonal("CFL-EMAIL-001", "two", failed, "spf", func(z *zone) {
			z.text(z.name, "v=spf1 include:_spf.mailer.test -all")
		}),
		zonal("CFL-EMAIL-003", "missing", failed, "dmarc", func(z *zone) {
			z.drop(func(r record) bool { return r.Name == "_dmarc."+z.name })
		}),
		zonal("CFL-EMAIL-003", "two", failed, "dmarc", func(z *zone) {
			z.text("_dmarc."+z.name, fmt.Sprintf("v=DMARC1; p=reject; rua=mailto:second@%s", z.name))
		}),
		zonal("CFL-EMAIL-003", "other-text", warning, "dmarc", func(z *zone) {
			z.text("_dmarc."+z.name, "moved to the new mail team")
		}),
		dmarc("CFL-EMAIL-005", "policy-none", failed, "v=DMARC1; p=none; rua=mailto:dmarc@%s"),
		dmarc("CFL-EMAIL-005", "no-policy", failed, "v=DMARC1; rua=mailto:dmarc@%s"),
		dmarc("CFL-EMAIL-005", "part-only", warning, "v=DMARC1; p=reject; pct=50; rua=mailto:dmarc@%s"),
		dmarc("CFL-EMAIL-005", "weak-subdomains", warning, "v=DMARC1; p=reject; sp=none; rua=mailto:dmarc@%s"),
		dmarc("CFL-EMAIL-005", "no-reports", warning, "v=DMARC1; p=quarantine"),
	}
}

// apexText returns the first text record at the apex that starts with a
// prefix.
func (z *zone) apexText(prefix string) *record {
	for i := range z.records {
		r := &z.records[i]
		if r.Type == "TXT" && r.Name == z.name && strings.HasPrefix(r.Content, `"`+prefix) {
			return r
		}
	}
	return nil
}
