package record

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// The vocabulary: words of the published API, words that checks and readers compare with, and a
// manual list of further words, such as well-known providers, places and numbers.
var (
	//go:embed published.txt
	publishedText string
	//go:embed compared.txt
	comparedText string
	//go:embed words.txt
	wordsText string
)

// free lists the members whose text is replaced as a whole, because people write sentences there.
var free = []string{"comment", "comments", "note", "notes", "description", "first_name", "last_name", "user_agent", "telephone", "phone",
	"fax", "street", "address2", "city", "zip", "zipcode", "organization_name", "tags"}

// Replacer replaces what could identify the account. It is safe for concurrent use; a nil Replacer
// replaces nothing.
type Replacer struct {
	mu         sync.Mutex
	own        map[string]bool // words in names of the account and its zones
	zones      map[string]bool
	random     *rand.ChaCha8
	vocabulary map[string]bool
	published  map[string]bool   // the part of vocabulary from the API itself
	words      map[string]string // replacements of words, ids and keys, by lower case
	taken      map[string]bool
	texts      map[string]string
	addresses  addresses
	secrets    *credential.Matcher
	patterns   patterns
}

type patterns struct{ token, word, secret, id, key, duration *regexp.Regexp }

// NewReplacer returns a replacer. Its replacements follow from random, of which it reads 64 bytes.
func NewReplacer(random io.Reader) (*Replacer, error) {
	var seed, key [32]byte
	for _, b := range [][]byte{seed[:], key[:]} {
		if _, err := io.ReadFull(random, b); err != nil {
			return nil, fmt.Errorf("read randomness for the replacement: %w", err)
		}
	}
	r := &Replacer{random: rand.NewChaCha8(seed), vocabulary: map[string]bool{}, published: map[string]bool{},
		words: map[string]string{}, taken: map[string]bool{},
		texts: map[string]string{},
		own:   map[string]bool{}, zones: map[string]bool{}, addresses: newAddresses(key[:]), patterns: newPatterns(), secrets: credential.New()}
	for w := range strings.FieldsSeq(publishedText) {
		r.published[w], r.vocabulary[w] = true, true
	}
	for w := range strings.FieldsSeq(comparedText + "\n" + wordsText) {
		r.vocabulary[w] = true
	}
	return r, nil
}

func newPatterns() patterns {
	return patterns{
		token: regexp.MustCompile(strings.Join([]string{
			`\\[xu][0-9A-Fa-f]{2,8}|\\\d{2,3}|&#\w+;|%[0-9A-Fa-f]{2}`, // escaped characters
			`\\[dDwWsSbBntrAzZ]`, // of a regular expression
			`[^\x00-\x20"'<>(),:;@\\\[\]=/]+@`,
			`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?\b`,
			`(?i:\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)`,
			`\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\b`,
			`(?i:[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?:\.\d{1,3}){0,3}(?:/\d{1,3})?)`,
			`[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)+`, // possibly a host
			`(?:[0-9A-Za-z]|[^\x00-\x7F])+`,
		}, "|")),
		word:     regexp.MustCompile(`(?:[0-9A-Za-z]|[^\x00-\x7F])+`),
		secret:   regexp.MustCompile(`(?i)key|secret|token|passw|credential|dsn`),
		id:       regexp.MustCompile(`^(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,})$`),
		duration: regexp.MustCompile(`^(?:\d{1,5}(?:ns|us|ms|h|m|s|d|w))+$`),
		key:      regexp.MustCompile(`\bp=([0-9A-Za-z+/="\s]{40,})`),
	}
}

// JSON replaces the texts and the member names of a document. Numbers and booleans are kept, except
// for numbers that are ids.
func (r *Replacer) JSON(raw []byte) ([]byte, error) {
	if r == nil && json.Valid(raw) {
		return raw, nil
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("read the answer to replace names in: %w", err)
	}
	return json.Marshal(r.value("", v))
}

func (r *Replacer) value(member string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[r.Text(name)] = r.value(name, x)
		}
		return out
	case []any:
		for i, x := range v {
			v[i] = r.value(member, x)
		}
		return v
	case string:
		if slices.Contains(free, member) {
			return r.freeText(v)
		}
		if slices.Contains([]string{"text", "value", "content"}, member) && !strings.ContainsAny(v, ".:=; ") {
			return r.asRandom(v)
		}
		return r.Text(v)
	case json.Number:
		if member == "id" || member == "cursor" || strings.HasSuffix(member, "_id") {
			return json.Number(r.Text(v.String()))
		}
		return v
	default:
		return v
	}
}

// asRandom replaces a one-word value of a variable. The replacement looks random exactly if the
// value did, because checks distinguish secrets from settings by that.
func (r *Replacer) asRandom(s string) string {
	made := r.Text(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secrets.Kind(s) != "" {
		return made
	}
	for credential.HighEntropy(s) && !credential.HighEntropy(made) {
		made = r.like(strings.Repeat("a0", len(s)))[:len(s)]
	}
	if !credential.HighEntropy(s) && credential.HighEntropy(made) {
		made = strings.Repeat("x", len(s))
	}
	return made
}

// freeText replaces equal texts by the same name.
func (r *Replacer) freeText(s string) string {
	if strings.TrimSpace(s) == "" {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.texts[s]; !known {
		r.texts[s] = fmt.Sprintf("text-%d", len(r.texts)+1)
	}
	return r.texts[s]
}

// Text replaces the words of a text that are not in the vocabulary, and keeps what is between them.
func (r *Replacer) Text(s string) string {
	if r == nil {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text(strings.ToValidUTF8(s, "?"))
}

func (r *Replacer) text(s string) string {
	if at := r.patterns.key.FindStringSubmatchIndex(s); at != nil {
		end := at[2] + len(strings.TrimRight(s[at[2]:at[3]], "\" \t\n"))
		if key, ok := r.publicKey(s[at[2]:end]); ok {
			return r.text(s[:at[2]]) + key + r.text(s[end:])
		}
	}
	return r.patterns.token.ReplaceAllStringFunc(s, r.token)
}

func (r *Replacer) token(t string) string {
	switch {
	case t[0] == '\\' && len(t) == 2:
		return t
	case t[0] == '%' && len(t) == 3, t[0] == '\\', strings.HasPrefix(t, "&#"):
		return disguised(t)
	case strings.HasSuffix(t, "@"):
		return r.local(strings.TrimSuffix(t, "@")) + "@"
	case isDate(t):
		return t
	case r.patterns.id.MatchString(t) && !r.vocabulary[t]:
		return r.replaced(t)
	}
	if p, err := netip.ParsePrefix(t); err == nil {
		return r.addresses.prefix(p)
	}
	if a, err := netip.ParseAddr(t); err == nil {
		return r.addresses.address(a).String()
	}
	if strings.Contains(t, ".") {
		return r.host(t)
	}
	return r.each(t, r.word)
}

func isDate(t string) bool {
	return len(t) >= 10 && t[4] == '-' && t[7] == '-' && strings.Trim(t, "0123456789-:TZ+. ") == ""
}

// disguised keeps percent-encoded punctuation and replaces every other escape by that of an x.
func disguised(t string) string {
	b, err := strconv.ParseUint(t[1:], 16, 8)
	switch {
	case t[0] == '\\':
		return `\x78`
	case t[0] == '&':
		return "&#120;"
	case err == nil && b < unicode.MaxASCII && unicode.In(rune(b), unicode.Letter, unicode.Digit) || b > unicode.MaxASCII:
		return "%78"
	default:
		return t
	}
}

// each replaces the words of a text.
func (r *Replacer) each(s string, by func(string) string) string {
	return r.patterns.word.ReplaceAllStringFunc(s, by)
}

// local keeps a mailbox that is a role; any other word, even of the vocabulary, may be a person.
func (r *Replacer) local(s string) string {
	if slices.Contains([]string{"postmaster", "hostmaster", "webmaster", "abuse", "security", "noc", "dmarc", "noreply"}, strings.ToLower(s)) {
		return s
	}
	return r.each(s, r.replaced)
}

// Own removes the words in the names of an account and its zones from the vocabulary, except words
// of the API itself, without which the answers would be meaningless. The name of a zone is replaced
// entirely wherever it is a host.
func (r *Replacer) Own(names ...string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		name = strings.ToLower(name)
		r.zones[name] = true
		for _, w := range r.patterns.word.FindAllString(name, -1) {
			r.own[w] = true
		}
	}
}

// host keeps the public suffix, such as co.uk or azurewebsites.net.
func (r *Replacer) host(t string) string {
	suffix, official := publicsuffix.PublicSuffix(strings.ToLower(t))
	if registered, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(t)); err == nil && r.zones[registered] {
		head, label := len(t)-len(registered), len(t)-len(suffix)
		return r.each(t[:head], r.word) + r.each(t[head:label], r.replaced) + t[label:]
	}
	if (official || strings.Contains(suffix, ".")) && len(suffix) < len(t) {
		head := len(t) - len(suffix)
		return r.each(t[:head], r.word) + t[head:]
	}
	return r.each(t, r.word)
}

// word keeps words of the vocabulary, numbers of up to four digits, and the part of a name that
// suggests a secret.
func (r *Replacer) word(w string) string {
	lower := strings.ToLower(w)
	digits := strings.Trim(w, "0123456789") == ""
	switch {
	case r.vocabulary[lower] && (!r.own[lower] || r.published[lower]), digits && len(w) <= 4, len(w) == 1 && w[0] < 0x80,
		r.patterns.duration.MatchString(lower):
		return w
	case digits:
		return w[:1] + r.replaced(w[1:])
	case len(w) <= 24 && r.patterns.secret.MatchString(w):
		at := r.patterns.secret.FindStringIndex(w)
		return r.each(w[:at[0]], r.word) + w[at[0]:at[1]] + r.each(w[at[1]:], r.word)
	}
	for _, prefix := range []string{"AKIA", "ASIA", "AIza", "eyJ"} {
		if rest, ok := strings.CutPrefix(w, prefix); ok && len(rest) >= 8 {
			return prefix + r.replaced(rest)
		}
	}
	if rest, ok := strings.CutPrefix(w, "SK"); ok && r.patterns.id.MatchString(rest) {
		return "SK" + r.replaced(rest)
	}
	return r.replaced(w)
}

// replaced returns the replacement of a word: of the same length and the same kinds of characters,
// unless all such short words are taken. Words that differ only in case still do afterwards.
func (r *Replacer) replaced(w string) string {
	lower := strings.ToLower(w)
	for tries := 0; r.words[lower] == ""; tries++ {
		made := r.like(lower)
		if tries > 50 {
			made += r.like("aaa")
		}
		if made != lower && !r.taken[made] && !r.vocabulary[made] {
			r.words[lower], r.taken[made] = made, true
		}
	}
	made, original := []byte(r.words[lower]), []rune(w)
	for i := range min(len(made), len(original)) {
		if unicode.IsUpper(original[i]) {
			made[i] = byte(unicode.ToUpper(rune(made[i])))
		}
	}
	return string(made)
}

// like generates a word of the same form. An id stays hexadecimal and keeps the version of a UUID.
func (r *Replacer) like(lower string) string {
	const letters, digits, hexadecimal = "abcdefghijklmnopqrstuvwxyz", "0123456789", "0123456789abcdef"
	id := r.patterns.id.MatchString(lower)
	runes := []rune(lower)
	out := make([]byte, 0, len(runes))
	for i, c := range runes {
		set := letters
		switch {
		case c == '-', id && len(lower) == 36 && (i == 14 || i == 19):
			out = append(out, byte(c))
			continue
		case id:
			set = hexadecimal
		case c >= '0' && c <= '9':
			set = digits
		}
		out = append(out, set[r.random.Uint64()%uint64(len(set))])
	}
	return string(out)
}
