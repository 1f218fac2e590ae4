package gate

import (
	"bytes"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// TestLastAllowed: of each limit the last value that passes and the first that does not.
func TestLastAllowed(t *testing.T) {
	t.Parallel()
	now := noon()
	of := func(secretBytes int) error {
		_, err := New(Options{Secret: secret.New(strings.Repeat("x", secretBytes)), Now: noon})
		return err
	}
	nested := func(depth int) error {
		_, err := object([]byte(`{"a":` + strings.Repeat("[", depth-1) + "1" + strings.Repeat("]", depth-1) + "}"))
		return err
	}
	set := func(size int) error {
		b := testSet(t)
		_, err := parseSet(append(b, bytes.Repeat([]byte(" "), size-len(b))...))
		return err
	}
	rsaKey := func(bits uint, exponent int) string {
		n := new(big.Int).Lsh(big.NewInt(1), bits-1)
		return formOf(&rsa.PublicKey{N: n.Add(n, big.NewInt(1)), E: exponent})
	}
	lifetime := func(issued, expires time.Duration) error {
		c := claims{gate: &Gate{now: noon, lifetime: time.Hour}, permission: editPermission}
		c.issuedAt, c.expires = &jwt.NumericDate{Time: now.Add(issued)}, &jwt.NumericDate{Time: now.Add(expires)}
		return c.Validate()
	}
	for name, tc := range map[string]struct{ last, beyond bool }{
		"bytes of a secret":        {of(MaxToken) == nil, of(MaxToken+1) == nil},
		"depth of JSON":            {nested(maxDepth) == nil, nested(maxDepth+1) == nil},
		"bytes of a set":           {set(MaxSet) == nil, set(MaxSet+1) == nil},
		"characters of a name":     {isName(strings.Repeat("é", maxByName)), isName(strings.Repeat("é", maxByName+1))},
		"the latest date":          {date(json.RawMessage("253402300799")) != nil, date(json.RawMessage("253402300800")) != nil},
		"the earliest date":        {date(json.RawMessage("0")) != nil, date(json.RawMessage("-1")) != nil},
		"a date that begins with9": {date(json.RawMessage("9")) != nil, date(json.RawMessage(`"9"`)) != nil},
		"the shortest RSA key":     {rsaKey(minRSA, 3) == "RSA", rsaKey(minRSA-1, 3) == "RSA"},
		"the longest RSA key":      {rsaKey(maxRSA, 3) == "RSA", rsaKey(maxRSA+1, 3) == "RSA"},
		"the exponent":             {rsaKey(minRSA, 3) == "RSA", rsaKey(minRSA, 1) == "RSA"},
		"life since it was issued": {lifetime(0, time.Hour+Leeway) == nil, lifetime(-time.Second, time.Hour+Leeway) == nil},
	} {
		require.True(t, tc.last, name)
		require.False(t, tc.beyond, name)
	}
}

// TestWhatIsOneObject: null and a number are none, and a number may be larger than any machine's.
func TestWhatIsOneObject(t *testing.T) {
	t.Parallel()
	for text, is := range map[string]bool{`{}`: true, `{"a":1e999}`: true, `null`: false, `5`: false, `[]`: false, `{}{}`: false,
		`{"a":1,"\u0061":2}`: false} {
		_, err := object([]byte(text))
		require.Equal(t, is, err == nil, text)
	}
	for text, is := range map[string]bool{`"a"`: true, `["a"]`: true, `[]`: true, `null`: false, `5`: false, `[null]`: false,
		`["a",5]`: false} {
		require.Equal(t, is, audience(json.RawMessage(text)) != nil, text)
	}
	whole := sign(t, "HS256", head("HS256", ""), edit(), []byte(hmacKey))
	parts := strings.Split(whole, ".")
	for text, is := range map[string]bool{whole: true, whole + ".x": false, parts[0] + "." + parts[1]: false,
		parts[0] + ".." + parts[2]: false} {
		_, err := readHeader(text)
		require.Equal(t, is, err == nil, text)
	}
}

type troubled struct{ fixedKeys }

func (troubled) trouble() error { return errors.New("status 503") }

// TestWhyAKeyIsMissing: a refusal tells why the set could not be read only when that may be its cause.
func TestWhyAKeyIsMissing(t *testing.T) {
	t.Parallel()
	for reason, told := range map[Reason]bool{ReasonKeyUnknown: true, ReasonKeysUnreadable: true, ReasonExpired: false} {
		require.Equal(t, told, (&Gate{ring: troubled{}}).refuseFor(because(reason)).Cause != nil, reason)
		require.NoError(t, (&Gate{}).refuseFor(because(reason)).Cause, "no keys are configured")
	}
	named := &keySet{named: true, keys: []setKey{{kid: "a"}}}
	require.True(t, named.has(header{kid: "a", named: true}))
	require.False(t, named.has(header{kid: "b", named: true}))
	require.True(t, (&keySet{}).has(header{kid: "b", named: true}), "a set without names may always answer")
}

type answer func(*http.Request) (*outbound.Response, error)

func (a answer) Do(r *http.Request) (*outbound.Response, error) { return a(r) }

// TestAddressesOfSets: plain HTTP only from this machine, JSON is asked for, and a set of the longest length is read.
func TestAddressesOfSets(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{"https://a.example/k": true, "http://127.0.0.1/k": true, "http://[::1]/k": true,
		"http://localhost/k": true, "http://192.0.2.1/k": false, "http://a.example/k": false} {
		_, err := FromAddress(nil, address)
		require.Equal(t, ok, err == nil, address)
	}
	for size, ok := range map[int]bool{MaxSet: true, MaxSet + 1: false} {
		fetch, err := FromAddress(answer(func(r *http.Request) (*outbound.Response, error) {
			require.Contains(t, r.Header.Get("Accept"), "application/jwk-set+json")
			return &outbound.Response{Status: http.StatusOK, Body: make([]byte, size)}, nil
		}), "https://a.example/k")
		require.NoError(t, err)
		_, err = fetch.Fetch(t.Context())
		require.Equal(t, ok, err == nil, fmt.Sprint(size))
	}
}
