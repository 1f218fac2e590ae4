package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlLink leads to a place in the report; without an anchor it is text only.
type htmlLink struct {
	Anchor string
	Text   string
}

// htmlText shows a text as it is and not as it wants to look: controls, marks of
// direction and signs without width are named by their code point, as on the
// dashboard. The two joiners stay, because some scripts need them.
func htmlText(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t'
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s { // a byte that is not UTF-8 comes as U+FFFD
		if htmlHidden(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func htmlHidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t', r == '\u200c', r == '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// htmlAnchor makes an id that is safe in an attribute and a fragment.
func htmlAnchor(id string) string {
	for _, r := range id {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
		if !plain {
			return htmlDigest(id)
		}
	}
	return id
}

func htmlDigest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// htmlTime is an instant in UTC, to the minute.
func htmlTime(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// htmlDuration is a length of time with at most two units.
func htmlDuration(ms int64) string {
	s := (ms + 500) / 1000
	switch {
	case ms < 0:
		return "unknown"
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
}

// htmlCount writes a number with commas between the thousands.
func htmlCount(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// htmlPlural is "1 check" or "2 checks".
func htmlPlural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return htmlCount(n) + " " + noun + "s"
}

// htmlPercent is a share to one decimal. It is cut and not rounded, because
// 99.96 % is not all.
func htmlPercent(p float64) string {
	tenths := int(p*10 + 1e-9)
	if tenths%10 == 0 {
		return fmt.Sprintf("%d %%", tenths/10)
	}
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// htmlName is what people call a resource.
func htmlName(r posture.Resource) string {
	if r.Name != "" {
		return r.Name
	}
	return r.ID
}

// htmlType is a resource type in words.
func htmlType(t string) string {
	switch t {
	case "internet":
		return "anyone"
	case "dns_record":
		return "DNS record"
	case "r2_bucket":
		return "R2 bucket"
	case "kv_namespace":
		return "KV namespace"
	case "d1_database":
		return "D1 database"
	case "access_app":
		return "Access application"
	case "access_policy":
		return "Access policy"
	default:
		return htmlText(strings.ReplaceAll(t, "_", " "))
	}
}
