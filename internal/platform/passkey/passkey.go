// Package passkey lets people sign in with passkeys: it begins and verifies the two ceremonies of
// Web Authentication (W3C, Level 3) for one relying party. It has no handlers and stores nothing:
// the caller seals a Ceremony into the browser and opens it again, limits it to a time and to one
// answer, and stores the Credential.
//
// In: the public address of the service, and what navigator.credentials returns, as written by
// PublicKeyCredential.toJSON. Out: options for navigator.credentials, and a Credential or an error
// that says why it is not accepted.
package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Age is how long a person may take for a ceremony.
const Age = 5 * time.Minute

const challengeBytes = 32

// ErrCloned means that the counter of the authenticator did not increase, so it may have been
// copied (Level 3, section 6.1.1).
var ErrCloned = errors.New("the counter of the authenticator went back")

// Party is the service as a relying party. It is safe for concurrent use.
type Party struct {
	rp     *webauthn.WebAuthn
	random io.Reader
}

// New returns the relying party of a service, or nil where browsers support no passkeys: without an
// address, at an IP address, and over plain http except on localhost.
func New(publicURL string, random io.Reader) *Party {
	u, err := url.Parse(publicURL)
	if err != nil {
		return nil
	}
	host := strings.ToLower(u.Hostname())
	if host == "" || u.Scheme != "https" && (u.Scheme != "http" || host != "localhost") {
		return nil
	}
	timeout := webauthn.TimeoutConfig{Timeout: Age} // only a hint for browsers; the caller enforces its own time
	rp, err := webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: "Edgeposture", RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation, ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
		Timeouts: webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
		AuthenticatorSelection: protocol.AuthenticatorSelection{RequireResidentKey: protocol.ResidentKeyRequired(),
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired}})
	if err != nil { // an IP address, or a name that browsers do not accept
		return nil
	}
	return &Party{rp, random}
}

// Person is the owner of a passkey. The authenticator shows Name and Email, and stores ID.
type Person struct{ ID, Name, Email string }

// Credential is the stored part of a passkey. Nothing in it is secret.
type Credential struct {
	ID, PublicKey []byte
	SignCount     uint32
	// BackupEligible means that it may be on several devices, which never changes; BackedUp that it is.
	BackupEligible, BackedUp bool
}

// Ceremony is the state of a ceremony, which is needed when the browser answers.
type Ceremony = webauthn.SessionData

// Register begins to add a passkey. The browser excludes authenticators that hold one of the
// person's existing passkeys.
func (p *Party) Register(who Person, has []Credential) (options json.RawMessage, c Ceremony, err error) {
	challenge, err := p.challenge()
	if err != nil {
		return nil, c, err
	}
	u := holder{who, has}
	known := make([]protocol.CredentialDescriptor, len(has))
	for i, one := range u.WebAuthnCredentials() {
		known[i] = one.Descriptor()
	}
	creation, begun, err := p.rp.BeginRegistration(u, webauthn.WithExclusions(known), webauthn.WithCredentialParameters(algorithms()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error { o.Challenge = challenge; return nil })
	if err != nil {
		return nil, c, fmt.Errorf("begin to add a passkey: %w", err)
	}
	options, err = json.Marshal(creation.Response)
	return options, *begun, err
}

// Registered verifies the new credential of an authenticator.
func (p *Party) Registered(c Ceremony, made []byte) (Credential, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(made)
	if err != nil {
		return Credential{}, fmt.Errorf("read a new passkey: %w", err)
	}
	got, err := p.rp.CreateCredential(holder{Person: Person{ID: string(c.UserID)}}, c, parsed)
	if err != nil {
		return Credential{}, fmt.Errorf("check a new passkey: %w", err)
	}
	return credentialOf(got), nil
}

// Ask begins a sign-in with any passkey that the person chooses.
func (p *Party) Ask() (options json.RawMessage, c Ceremony, err error) {
	challenge, err := p.challenge()
	if err != nil {
		return nil, c, err
	}
	assertion, begun, err := p.rp.BeginDiscoverableLogin(webauthn.WithChallenge(challenge))
	if err != nil {
		return nil, c, fmt.Errorf("begin to sign in with a passkey: %w", err)
	}
	options, err = json.Marshal(assertion.Response)
	return options, *begun, err
}

// Assertion is an answer to Ask that has not been verified.
type Assertion struct {
	CredentialID []byte
	parsed       *protocol.ParsedCredentialAssertionData
}

// ParseAssertion parses an answer to Ask.
func ParseAssertion(answer []byte) (Assertion, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return Assertion{}, fmt.Errorf("read a passkey: %w", err)
	}
	return Assertion{parsed.RawID, parsed}, nil
}

// Check verifies an answer against the ceremony, the passkey that it names and the passkey's owner.
// It returns the credential to store from now on. The error is ErrCloned for a suspected copy.
func (p *Party) Check(c Ceremony, a Assertion, userID string, kept Credential) (Credential, error) {
	u := holder{Person{ID: userID}, []Credential{kept}}
	_, got, err := p.rp.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return u, nil }, c, a.parsed)
	if err != nil {
		return Credential{}, fmt.Errorf("check a passkey: %w", err)
	}
	if got.Authenticator.CloneWarning {
		return Credential{}, ErrCloned
	}
	return credentialOf(got), nil
}

func (p *Party) challenge() ([]byte, error) {
	raw := make([]byte, challengeBytes)
	if _, err := io.ReadFull(p.random, raw); err != nil {
		return nil, fmt.Errorf("read randomness for a challenge: %w", err)
	}
	return raw, nil
}

// algorithms returns the accepted algorithms, best first; every authenticator supports one of them.
func algorithms() (out []protocol.CredentialParameter) {
	for _, a := range []webauthncose.COSEAlgorithmIdentifier{webauthncose.AlgEdDSA, webauthncose.AlgES256, webauthncose.AlgRS256} {
		out = append(out, protocol.CredentialParameter{Type: protocol.PublicKeyCredentialType, Algorithm: a})
	}
	return out
}

func credentialOf(c *webauthn.Credential) Credential {
	return Credential{c.ID, c.PublicKey, c.Authenticator.SignCount, c.Flags.BackupEligible, c.Flags.BackupState}
}

// holder adapts a person to the library's interface.
type holder struct {
	Person
	has []Credential
}

func (h holder) WebAuthnID() []byte          { return []byte(h.ID) }
func (h holder) WebAuthnName() string        { return h.Email }
func (h holder) WebAuthnDisplayName() string { return h.Name }

func (h holder) WebAuthnCredentials() []webauthn.Credential {
	out := make([]webauthn.Credential, len(h.has))
	for i, c := range h.has {
		out[i] = webauthn.Credential{ID: c.ID, PublicKey: c.PublicKey,
			Flags:         webauthn.CredentialFlags{BackupEligible: c.BackupEligible, BackupState: c.BackedUp},
			Authenticator: webauthn.Authenticator{SignCount: c.SignCount}}
	}
	return out
}
