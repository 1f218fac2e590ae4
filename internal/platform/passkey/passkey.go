// Package passkey lets people sign in with passkeys: it begins and checks the two ceremonies of Web Authentication (W3C, Level 3) for one
// relying party. It has no handlers and stores nothing: whoever calls it seals a Ceremony into the browser and opens it again, holds it to
// a time and to one answer, and keeps the Credential.
//
// In: the public address of the service, what navigator.credentials gives, as PublicKeyCredential.toJSON writes it.
// Out: options for navigator.credentials, and a Credential or an error that says why it is not believed.
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

// ErrCloned means that the counter of the authenticator did not go on: somebody may have a copy of it (Level 3, 6.1.1).
var ErrCloned = errors.New("the counter of the authenticator went back")

// Party is the service as browsers know it. It is safe for concurrent use.
type Party struct {
	rp     *webauthn.WebAuthn
	random io.Reader
}

// New gives the relying party of a service; nil where browsers make no passkeys: without an address, at an IP address, and over plain http
// but on localhost.
func New(publicURL string, random io.Reader) *Party {
	u, err := url.Parse(publicURL)
	if err != nil {
		return nil
	}
	host := strings.ToLower(u.Hostname())
	if host == "" || u.Scheme != "https" && (u.Scheme != "http" || host != "localhost") {
		return nil
	}
	timeout := webauthn.TimeoutConfig{Timeout: Age} // what people see; the caller holds its own clock to it
	rp, err := webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: "Edgeposture", RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation, ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
		Timeouts: webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
		AuthenticatorSelection: protocol.AuthenticatorSelection{RequireResidentKey: protocol.ResidentKeyRequired(),
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired}})
	if err != nil { // an IP address, or a name that is none to browsers
		return nil
	}
	return &Party{rp, random}
}

// Person is whose passkey it is. The authenticator shows Name and Email, and keeps ID.
type Person struct{ ID, Name, Email string }

// Credential is what is kept of a passkey. Nothing in it is secret.
type Credential struct {
	ID, PublicKey []byte
	SignCount     uint32
	// BackupEligible tells that it may be on several devices, which never changes; BackedUp that it is.
	BackupEligible, BackedUp bool
}

// Ceremony is what was begun, and must be there when the browser answers.
type Ceremony = webauthn.SessionData

// Register begins to add a passkey; an authenticator that holds one of those the person has is left out by the browser.
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

// Registered checks what an authenticator made for a person.
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

// Ask begins a sign-in by whatever passkey the person chooses.
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

// Assertion is an answer to Ask that nobody has checked so far.
type Assertion struct {
	CredentialID []byte
	parsed       *protocol.ParsedCredentialAssertionData
}

// ParseAssertion reads an answer to Ask.
func ParseAssertion(answer []byte) (Assertion, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return Assertion{}, fmt.Errorf("read a passkey: %w", err)
	}
	return Assertion{parsed.RawID, parsed}, nil
}

// Check holds an answer against the ceremony, and against the passkey that it names and the person who has it. It gives what is to be kept
// from now on. ErrCloned.
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

// algorithms are those that every authenticator has one of, the best first.
func algorithms() (out []protocol.CredentialParameter) {
	for _, a := range []webauthncose.COSEAlgorithmIdentifier{webauthncose.AlgEdDSA, webauthncose.AlgES256, webauthncose.AlgRS256} {
		out = append(out, protocol.CredentialParameter{Type: protocol.PublicKeyCredentialType, Algorithm: a})
	}
	return out
}

func credentialOf(c *webauthn.Credential) Credential {
	return Credential{c.ID, c.PublicKey, c.Authenticator.SignCount, c.Flags.BackupEligible, c.Flags.BackupState}
}

// holder is a person as the library asks for them.
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
