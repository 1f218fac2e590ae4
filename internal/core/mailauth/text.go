// Package mailauth parses the texts that protect mail: SPF (RFC 7208), DMARC (RFC 7489), DKIM keys
// (RFC 6376, RFC 8463), MTA-STS (RFC 8461) and TLS reports (RFC 8460), and the patterns of mail
// filters. It is pure and does no look-ups: it reports the names that a text refers to, and the
// caller looks them up.
package mailauth

import "strings"

// Text joins the strings of a TXT record as a resolver returns them; the provider returns them
// quoted or bare.
func Text(content string) string {
	content = strings.TrimSpace(content)
	if !strings.HasPrefix(content, `"`) {
		return content
	}
	var b strings.Builder
	inside := false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\' && inside && i+1 < len(content):
			i++
			b.WriteByte(content[i])
		case c == '"':
			inside = !inside
		case inside:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// tags parses a list of tag=value parts as used by DMARC, DKIM and the transport texts. Tag names
// are converted to lower case, values are kept; the first of a repeated tag wins.
func tags(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		tag, value, ok := strings.Cut(part, "=")
		tag = strings.ToLower(strings.TrimSpace(tag))
		if _, twice := out[tag]; !ok || twice {
			continue
		}
		out[tag] = strings.TrimSpace(value)
	}
	return out
}

// startsWith reports whether the first part of a tag list is the version.
func startsWith(text, version string) bool {
	first, _, _ := strings.Cut(text, ";")
	return strings.Join(strings.Fields(first), "") == version
}

// TransportPolicy reports whether a text announces MTA-STS, including the required id of letters and
// digits (RFC 8461, section 3.1).
func TransportPolicy(text string) bool {
	id := tags(text)["id"]
	return startsWith(text, "v=STSv1") && id != "" && len(id) <= 32 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// TransportReports reports whether a text requests TLS reports and says where to send them: by mail or
// to a web address (RFC 8460, section 3).
func TransportReports(text string) bool {
	for uri := range strings.SplitSeq(strings.ToLower(tags(text)["rua"]), ",") {
		uri = strings.TrimSpace(uri)
		if mailbox(uri) != "" || strings.HasPrefix(uri, "https://") {
			return startsWith(text, "v=TLSRPTv1")
		}
	}
	return false
}

// mailbox returns the domain of a mailto address in lower case, "" when the text is none.
func mailbox(uri string) string {
	address, isMail := strings.CutPrefix(uri, "mailto:")
	_, host, _ := strings.Cut(address, "@")
	if !isMail {
		return ""
	}
	return strings.TrimSuffix(host, ".")
}
