package passkey_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/descope/virtualwebauthn"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/platform/passkey"
)

const origin = "https://edge.example.com"

// TestPartyOfAnAddress: passkeys are off wherever a browser would make none.
func TestPartyOfAnAddress(t *testing.T) {
	for address, on := range map[string]bool{
		origin: true, origin + "/": true, "https://EDGE.example.com:8443": true, "http://localhost:8080": true, "https://localhost": true,
		"": false, "edge.example.com": false, "http://edge.example.com": false, "https://192.0.2.1": false, "https://[2001:db8::1]:8443": false,
		"http://127.0.0.1:8080": false, "https://edge": false, "https://a b": false, "https://ä.example": false, "ftp://localhost": false,
	} {
		require.Equal(t, on, passkey.New(address, rand.Reader) != nil, address)
	}
}

func TestNoChallengeWithoutRandomness(t *testing.T) {
	p := passkey.New(origin, iotest.ErrReader(errors.New("empty")))
	_, _, err := p.Ask()
	require.ErrorContains(t, err, "empty")
	_, _, err = p.Register(passkey.Person{ID: "1"}, nil)
	require.ErrorContains(t, err, "empty")
}

// TestCeremonies adds a passkey and signs in with it; the authenticator is somebody else's program.
func TestCeremonies(t *testing.T) {
	for _, kind := range []virtualwebauthn.KeyType{virtualwebauthn.KeyTypeEC2, virtualwebauthn.KeyTypeRSA} {
		p := passkey.New(origin, rand.Reader)
		key := newKey(kind)
		made := register(t, p, key, passkey.Person{ID: "ann", Name: "Ann", Email: "ann@example.com"})
		require.Equal(t, key.ID, made.ID)
		require.True(t, made.BackupEligible && !made.BackedUp)
		key.Counter = 7
		answer, c := assert(t, p, key, true)
		a, err := passkey.ParseAssertion(answer)
		require.NoError(t, err)
		require.Equal(t, key.ID, a.CredentialID)
		got, err := p.Check(c, a, "ann", made)
		require.NoError(t, err)
		made.SignCount, made.BackedUp = 7, true
		require.Equal(t, made, got)
		_, err = p.Check(c, a, "ann", made)
		require.ErrorIs(t, err, passkey.ErrCloned, "the counter stands still")
		made.BackupEligible = false
		_, err = p.Check(c, a, "ann", made)
		require.ErrorContains(t, err, "Backup Eligible", "it never changes")
		options, _, err := p.Register(passkey.Person{ID: "ann", Name: "Ann", Email: "ann@example.com"}, []passkey.Credential{made})
		require.NoError(t, err)
		asked, err := virtualwebauthn.ParseAttestationOptions(string(options))
		require.NoError(t, err)
		require.True(t, key.IsExcludedForAttestation(*asked))
		for _, said := range []string{`"attestation":"none"`, `"residentKey":"required"`, `"userVerification":"required"`, `"timeout":300000`} {
			require.Contains(t, string(options), said)
		}
	}
}

// newKey makes a key whose numbers have all their bytes: the program drops leading zeros, which no authenticator does.
func newKey(kind virtualwebauthn.KeyType) virtualwebauthn.Credential {
	const whole = 77 // bytes
	key := virtualwebauthn.NewCredential(kind)
	for kind == virtualwebauthn.KeyTypeEC2 && len(key.Key.AttestationData()) != whole {
		key = virtualwebauthn.NewCredential(kind)
	}
	return key
}

func register(t testing.TB, p *passkey.Party, key virtualwebauthn.Credential, who passkey.Person) passkey.Credential {
	t.Helper()
	options, c, err := p.Register(who, nil)
	require.NoError(t, err)
	asked, err := virtualwebauthn.ParseAttestationOptions(string(options))
	require.NoError(t, err)
	require.Equal(t, []string{who.ID, who.Name, who.Email}, []string{asked.UserID, asked.UserDisplayName, asked.UserName})
	device := virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{BackupEligible: true})
	made, err := p.Registered(c, []byte(virtualwebauthn.CreateAttestationResponse(party(asked.RelyingPartyID), device, key, *asked)))
	require.NoError(t, err)
	return made
}

func assert(t testing.TB, p *passkey.Party, key virtualwebauthn.Credential, backedUp bool) ([]byte, passkey.Ceremony) {
	t.Helper()
	options, c, err := p.Ask()
	require.NoError(t, err)
	asked, err := virtualwebauthn.ParseAssertionOptions(string(options))
	require.NoError(t, err)
	device := virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: []byte("ann"), BackupEligible: true,
		BackupState: backedUp})
	return []byte(virtualwebauthn.CreateAssertionResponse(party(asked.RelyingPartyID), device, key, *asked)), c
}

func party(id string) virtualwebauthn.RelyingParty {
	return virtualwebauthn.RelyingParty{ID: id, Name: "Edgeposture", Origin: origin}
}

// FuzzAnswers: whatever a browser sends, it is refused in one line unless it answers what was asked.
func FuzzAnswers(f *testing.F) {
	p := passkey.New(origin, rand.Reader)
	key := newKey(virtualwebauthn.KeyTypeEC2)
	kept := register(f, p, key, passkey.Person{ID: "ann", Name: "Ann", Email: "ann@example.com"})
	answer, _ := assert(f, p, key, false)
	f.Add(answer)
	options, _, err := p.Register(passkey.Person{ID: "ann", Email: "ann@example.com"}, nil)
	require.NoError(f, err)
	asked, err := virtualwebauthn.ParseAttestationOptions(string(options))
	require.NoError(f, err)
	f.Add([]byte(virtualwebauthn.CreateAttestationResponse(party("edge.example.com"), virtualwebauthn.NewAuthenticator(), key, *asked)))
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{}}`))
	_, other, err := p.Ask()
	require.NoError(f, err)
	_, adding, err := p.Register(passkey.Person{ID: "ann", Email: "ann@example.com"}, nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, sent []byte) {
		defer fuzztest.Bound(t)()
		_, err := p.Registered(adding, sent)
		require.Error(t, err)
		require.NotContains(t, strings.TrimSpace(err.Error()), "\n")
		a, err := passkey.ParseAssertion(sent)
		if err != nil {
			return
		}
		require.NotEmpty(t, a.CredentialID)
		_, err = p.Check(other, a, "ann", kept)
		require.Error(t, err)
	})
}
