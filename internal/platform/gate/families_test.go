package gate

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// swapped: the header names another algorithm than the one that signed.
func swapped(t testing.TB) (out []forgery) {
	for _, m := range algorithms() {
		for _, other := range algorithms() {
			if other.alg != m.alg && (other.alg[2:] == m.alg[2:] || other.alg[:2] == m.alg[:2]) {
				out = append(out, forgery{m.alg + " said to be " + other.alg, sign(t, m.alg, other.header(""), edit(), m.key), bySignature})
			}
		}
	}
	return out
}

// tampered: signatures that are not, of every algorithm.
func tampered(t testing.TB) (out []forgery) {
	for _, m := range algorithms() {
		good := sign(t, m.alg, m.header(""), payload(`,"scope":"read"`), m.key)
		h, _, _ := strings.Cut(good, ".")
		sig := good[strings.LastIndex(good, ".")+1:]
		b, err := base64.RawURLEncoding.DecodeString(sig)
		require.NoError(t, err)
		flipped, one := append([]byte(nil), b...), make([]byte, len(b))
		flipped[len(b)/2] ^= 1
		one[len(one)-1] = 1
		for name, s := range map[string]string{
			"of another payload": sig, "flipped": string64(flipped), "cut": string64(b[:len(b)-1]), "longer": string64(append(b, 0)),
			"zero": string64(make([]byte, len(b))),
			"one":  string64(one), "none": "",
		} {
			out = append(out, forgery{m.alg + " signature " + name, h + "." + encode(edit()) + "." + s, bySignature})
		}
	}
	return out
}

func string64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// barred: keys of the set that may not sign, or not so.
func barred(t testing.TB) []forgery {
	s := signersOnce()
	return []forgery{
		{"RSA key of 1024 bits", sign(t, "RS256", head("RS256", kid("weak")), edit(), s.weak), bySignature},
		{"RSA key of 1024 bits, PSS", sign(t, "PS256", head("PS256", kid("weak")), edit(), s.weak), bySignature},
		{"key for encryption", sign(t, "RS256", head("RS256", kid("sealed")), edit(), s.sealed), bySignature},
		{"key bound to another algorithm", sign(t, "RS256", head("RS256", kid("bound")), edit(), s.bound), bySignature},
		{"key whose private part is published", sign(t, "ES256", head("ES256", kid("shown")), edit(), s.shown), bySignature},
		{"shared key in the set", sign(t, "HS256", head("HS256", kid("oct")), edit(),
			[]byte("a shared key that lies in the set of public ones.")), bySignature},
	}
}

// claimed: signed well, and not in force or not ours.
func claimed(t testing.TB) (out []forgery) {
	now, iss := noon().Unix(), fmt.Sprintf(`"iss":%q`, issuer)
	later := fmt.Sprintf(`"exp":%d`, now+3600)
	for _, exp := range []string{fmt.Sprint(now - 1), fmt.Sprint(now), fmt.Sprint(now - 100000), "0", "-1", "1e300", "1e18", "253402300800",
		"-1e300", "null", `"never"`, fmt.Sprintf(`"%d"`, now+3600), "true", "[]", "{}", fmt.Sprintf("[%d]", now+3600),
		fmt.Sprintf(`{"$date":%d}`, now+3600)} {
		out = append(out, claim(t, "exp "+exp, fmt.Sprintf(`{%s,"exp":%s,"permission":"edit"}`, iss, exp)))
	}
	out = append(out, claim(t, "no exp", fmt.Sprintf(`{%s,"permission":"edit"}`, iss)),
		claim(t, "Exp", fmt.Sprintf(`{%s,"Exp":%d,"permission":"edit"}`, iss, now+3600)))
	for _, life := range []string{fmt.Sprintf(`"exp":%d`, now+3631), `"exp":253402300799`, fmt.Sprintf(`"exp":%d,"iat":%d`, now+60,
		now-3600)} {
		out = append(out, claim(t, "life "+life, fmt.Sprintf(`{%s,%s,"permission":"edit"}`, iss, life)))
	}
	for _, nbf := range []string{fmt.Sprint(now + 1), fmt.Sprint(now + 3600), "1e300", "1e19", "-1", "null", `"0"`, "false", "[0]"} {
		out = append(out, claim(t, "nbf "+nbf, fmt.Sprintf(`{%s,%s,"permission":"edit","nbf":%s}`, iss, later, nbf)))
	}
	for _, iat := range []string{fmt.Sprint(now + 31), fmt.Sprint(now + 3600), "1e300", "-1", "null", `"0"`, "{}"} {
		out = append(out, claim(t, "iat "+iat, fmt.Sprintf(`{%s,%s,"permission":"edit","iat":%s}`, iss, later, iat)))
	}
	for _, other := range []string{`""`, `"https://issuer.example/"`, `"https://ISSUER.example"`, `"https://issuer.example.attacker.example"`,
		`"https://attacker.example"`, `["https://issuer.example"]`, "null", "1", `{"https://issuer.example":1}`} {
		out = append(out, claim(t, "iss "+other, fmt.Sprintf(`{"iss":%s,%s,"permission":"edit"}`, other, later)))
	}
	out = append(out, claim(t, "no iss", fmt.Sprintf(`{%s,"permission":"edit"}`, later)))
	for _, sub := range []string{"1", "null", `["ada"]`, `"ada\nadmitted: eve"`, `"\u001b[2J"`, `"` + strings.Repeat("a", 256) + `"`,
		`"\u202eada"`} {
		out = append(out, claim(t, "sub "+sub, fmt.Sprintf(`{%s,%s,"permission":"edit","sub":%s}`, iss, later, sub)))
	}
	return out
}

func claim(t testing.TB, name, payload string) forgery {
	t.Helper()
	return forgery{"claim " + name, sign(t, "HS256", head("HS256", ""), payload, []byte(hmacKey)), byClaims}
}

// scoped: signed well, in force, and without the edit scope.
func scoped(t testing.TB) (out []forgery) {
	for _, more := range []string{
		"", `,"permission":"read"`, `,"permission":"Edit"`, `,"permission":"edit "`, `,"permission":"credit"`, `,"permission":["edit"]`,
		`,"permission":true`, `,"permission":{"edit":true}`,
		`,"permission":null,"scope":"edit"`, `,"permissions":["edit"]`, `,"Permission":"edit"`, `,"permission":"ed\u0131t"`,
		`,"permission":"edit\u0000"`,
		`,"aud":"edit"`, `,"aud":"tag:editor"`, `,"aud":"xtag:edit"`, `,"aud":"TAG:EDIT"`, `,"aud":["tag:edit "]`, `,"aud":"tag:edit,other"`,
		`,"aud":"other tag:edit"`, `,"aud":["tag:edit",1]`,
		`,"aud":[["tag:edit"]]`, `,"aud":{"tag:edit":true}`, `,"aud":null`, `,"aud":[]`, `,"aud":[null,"tag:edit"]`, `,"aud":"tag:*"`,
		`,"scope":"credit"`, `,"scope":"editor"`, `,"scope":"edit,read"`, `,"scope":"read,edit"`, `,"scope":"EDIT"`, `,"scope":["edit"]`,
		`,"scope":"read\tedit"`, `,"scope":"edit\n"`, `,"scope":"tag:edit"`,
		`,"scope":"edit:read"`, `,"scope":"read\u00a0edit"`, `,"scope":{"edit":1}`, `,"scope":1`, `,"scp":"edit"`, `,"scopes":"edit"`,
		`,"claims":{"permission":"edit"}`, `,"permission":"edit","scope":["read"]`, `,"permission":"edit","aud":7`,
	} {
		out = append(out, claim(t, "scope "+more, payload(more)))
	}
	return out
}

// repeated: signed well, with names that occur twice; the library takes the last.
func repeated(t testing.TB) (out []forgery) {
	for _, more := range []string{
		`,"permission":"read","permission":"edit"`, `,"permission":"edit","permission":"edit"`, `,"permission":"edit","exp":4102444800`,
		`,"permission":"edit","sub":"eve"`,
		`,"permission":"read","\u0070ermission":"edit"`, `,"aud":"other","aud":"tag:edit"`, `,"scope":"read","scope":"edit"`,
		`,"permission":"edit","act":{"sub":"a","sub":"b"}`, `,"permission":"edit","list":[[{"a":1,"a":1}]]`,
		`,"permission":"edit","a\ud800":1,"a\ud801":1`,
	} {
		out = append(out, forgery{"repeated " + more, sign(t, "HS256", head("HS256", ""), payload(more), []byte(hmacKey)), byForm})
	}
	deep := payload(`,"permission":"edit","deep":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1))
	return append(out, forgery{"nested", sign(t, "HS256", head("HS256", ""), deep, []byte(hmacKey)), byForm},
		forgery{"not UTF-8", sign(t, "HS256", head("HS256", ""), payload(`,"permission":"edit","x":"`+"\xff"+`"`), []byte(hmacKey)), byForm})
}

// shaped: tokens of another size or form.
func shaped(t testing.TB) []forgery {
	hs := func(payload string) string { return sign(t, "HS256", head("HS256", ""), payload, []byte(hmacKey)) }
	good := hs(edit())
	parts := strings.Split(good, ".")
	long := hs(payload(`,"permission":"edit","pad":"` + strings.Repeat("x", 1<<20) + `"`))
	over := hs(payload(`,"permission":"edit","pad":"` + strings.Repeat("x", MaxToken) + `"`))
	trailing := parts[2][:len(parts[2])-1] + nextLetter(parts[2][len(parts[2])-1])
	return []forgery{
		{"a megabyte", long, byForm}, {"just too long", over, byForm},
		{"line break within", parts[0] + "." + parts[1] + "." + parts[2][:5] + "\r\n" + parts[2][5:], byForm},
		{"line break at the end", good + "\n", byForm},
		{"bits after the end", parts[0] + "." + parts[1] + "." + trailing, byForm},
		{"Bearer", "Bearer " + good, byAll}, {"blank before", " " + good, byAll}, {"padding", good + "=", byAll},
		{"four parts", good + ".", byAll}, {"five parts", "a.b.c.d.e", byAll},
		{"two parts", parts[0] + "." + parts[1], byAll}, {"JSON form", `{"protected":"` + parts[0] + `","payload":"` + parts[1] +
			`","signature":"` + parts[2] + `"}`, byAll},
		{"dots", "..", byAll}, {"no header", "." + parts[1] + "." + parts[2], byAll}, {"no payload", parts[0] + ".." + parts[2], byAll},
		{"header is a list", sign(t, "HS256", `["HS256"]`, edit(), []byte(hmacKey)), byAll},
		{"header is null", sign(t, "HS256", `null`, edit(), []byte(hmacKey)), byAll},
		{"no alg", sign(t, "HS256", `{"typ":"JWT"}`, edit(), []byte(hmacKey)), byAll},
		{"alg is a list", sign(t, "HS256", `{"alg":["HS256"]}`, edit(), []byte(hmacKey)), byAll},
		{"Alg", sign(t, "HS256", `{"Alg":"HS256"}`, edit(), []byte(hmacKey)), byAll},
		{"payload is null", hs("null"), byAll}, {"payload is a list", hs("[" + edit() + "]"), byAll}, {"payload goes on", hs(edit() + edit()),
			byAll},
		{"payload with a mark", hs("\ufeff" + edit()), byAll}, {"payload is a text", hs(`"edit"`), byAll},
		{"the secret in two", opaque[:9] + "." + opaque[9:] + ".", byAll},
		{"most of the secret", opaque[:len(opaque)-1], byAll}, {"the secret and more", opaque + " ", byAll}, {"the key", hmacKey, byAll},
	}
}

// nextLetter changes the bits of the last letter that carry nothing: 32 bytes fill
// 43 letters with two bits to spare.
func nextLetter(c byte) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(letters[strings.IndexByte(letters, c)^1])
}
