package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
)

const (
	publicURL     = "https://edge.example.com"
	passkeyCookie = "__Host-edgeposture-passkey"
	aPassword     = "a sentence nobody guesses"
)

// device is an authenticator with one passkey, in a browser on a page.
type device struct {
	key        virtualwebauthn.Credential
	options    virtualwebauthn.AuthenticatorOptions
	origin, rp string
}

func newDevice() *device { return &device{key: newKey(), origin: publicURL, rp: "edge.example.com"} }

// newKey makes a key whose coordinates have all their bytes: the program drops leading zeros, which no authenticator does.
func newKey() virtualwebauthn.Credential {
	const whole = 77 // bytes
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(key.Key.AttestationData()) != whole {
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return key
}

func (d *device) party() virtualwebauthn.RelyingParty {
	return virtualwebauthn.RelyingParty{ID: d.rp, Name: "Edgeposture", Origin: d.origin}
}

func (d *device) create(t testing.TB, o virtualwebauthn.AttestationOptions) json.RawMessage {
	t.Helper()
	d.options.UserHandle = []byte(o.UserID)
	by := virtualwebauthn.NewAuthenticatorWithOptions(d.options)
	return json.RawMessage(virtualwebauthn.CreateAttestationResponse(d.party(), by, d.key, o))
}

func (d *device) assert(o virtualwebauthn.AssertionOptions) json.RawMessage {
	d.key.Counter++
	by := virtualwebauthn.NewAuthenticatorWithOptions(d.options)
	return json.RawMessage(virtualwebauthn.CreateAssertionResponse(d.party(), by, d.key, o))
}

// challenge begins a ceremony and gives what the browser keeps of it.
func (s *system) challenge(method, path string, body any, headers ...string) (options string, kept string) {
	s.t.Helper()
	got := s.call(method, path, body, headers...)
	require.Equal(s.t, 200, got.status, string(got.body))
	require.Equal(s.t, "no-store", got.header.Get("Cache-Control"))
	c := cookies(s.t, got)[passkeyCookie]
	require.NotNil(s.t, c)
	require.Equal(s.t, 300, c.MaxAge)
	return string(got.body), passkeyCookie + "=" + c.Value
}

func (s *system) toSignIn() (virtualwebauthn.AssertionOptions, string) {
	s.t.Helper()
	options, kept := s.challenge("GET", "/api/session/challenge", nil)
	o, err := virtualwebauthn.ParseAssertionOptions(options)
	require.NoError(s.t, err)
	require.Empty(s.t, o.AllowCredentials, "nobody is named")
	return *o, kept
}

func (s *system) toAdd(cookie string) (virtualwebauthn.AttestationOptions, string) {
	s.t.Helper()
	options, kept := s.challenge("GET", "/api/passkeys/challenge", nil, "Cookie", cookie)
	o, err := virtualwebauthn.ParseAttestationOptions(options)
	require.NoError(s.t, err)
	return *o, kept
}

func (s *system) byPasskey(answer json.RawMessage, kept string, more ...string) answer {
	s.t.Helper()
	return s.call("POST", "/api/session", object{"passkey": answer}, append([]string{"X-API-Key", "", "Cookie",
		strings.Join(append(more, kept), "; ")}, "Origin", s.url)...)
}

func (s *system) addPasskey(name string, made json.RawMessage, kept, cookie string) answer {
	s.t.Helper()
	return s.call("POST", "/api/passkeys", object{"name": name, "passkey": made}, "Cookie", cookie+"; "+kept, "Origin", s.url)
}

// person adds somebody with a password and gives the cookie of a session of theirs.
func (s *system) person(name string) (p httpapi.Person, cookie string) {
	s.t.Helper()
	email := name + "@example.com"
	s.post(201, "/api/users", object{"name": name, "email": email, "password": aPassword, "grants": []any{object{"role": "viewer"}}},
		"X-API-Key", apiKey).into(s.t, &p)
	got := s.post(200, "/api/session", object{"email": email, "password": aPassword})
	return p, sessionCookie + "=" + cookies(s.t, got)[sessionCookie].Value
}

// withPasskey is somebody with a password and a passkey.
func (s *system) withPasskey(name string) (p httpapi.Person, cookie string, d *device, made httpapi.Passkey) {
	s.t.Helper()
	p, cookie = s.person(name)
	d = newDevice()
	o, kept := s.toAdd(cookie)
	require.Equal(s.t, []string{"edge.example.com", p.ID, name, p.Email}, []string{o.RelyingPartyID, o.UserID, o.UserDisplayName, o.UserName})
	got := s.addPasskey("laptop", d.create(s.t, o), kept, cookie)
	require.Equal(s.t, 201, got.status, string(got.body))
	got.into(s.t, &made)
	return p, cookie, d, made
}

func passkeyService(t *testing.T) (s *system, pass func(time.Duration)) {
	t.Helper()
	ahead := new(atomic.Int64)
	s, _ = timed(t, t.TempDir(), ahead, "SERVICE_API_KEY="+apiKey, "SERVICE_PUBLIC_URL="+publicURL)
	return s, func(d time.Duration) { ahead.Add(int64(d)) }
}

// lastAudit gives the newest entry of an action.
func (s *system) lastAudit(action string) audit.Entry {
	s.t.Helper()
	var log auditLog
	s.call("GET", "/api/audit?action="+action, nil, "X-API-Key", apiKey).into(s.t, &log)
	require.NotEmpty(s.t, log.Items)
	return log.Items[0]
}

// TestPasskeySignIn: what somebody else's authenticator, page or browser answers signs nobody in, and the right answer does once.
func TestPasskeySignIn(t *testing.T) {
	t.Parallel()
	s, pass := passkeyService(t)
	ann, _, d, made := s.withPasskey("ann")
	bob, _, bobs, _ := s.withPasskey("bob")
	var bobsAnswer json.RawMessage
	var bobsKept string
	patch := func(id string, body object) {
		require.Equal(t, 200, s.call("PATCH", "/api/users/"+id, body, "X-API-Key", apiKey).status)
	}
	type asked = virtualwebauthn.AssertionOptions
	for _, c := range []struct {
		name   string
		answer func(d *device, o asked, kept string) (json.RawMessage, string)
		actor  string // of the audit entry: known once the signature is theirs
	}{
		{"another page", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.origin = "https://evil.example"
			return d.assert(o), kept
		}, "anonymous"},
		{"another port", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.origin = publicURL + ":8443"
			return d.assert(o), kept
		}, "anonymous"},
		{"plain http", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.origin = "http://edge.example.com"
			return d.assert(o), kept
		}, "anonymous"},
		{"another relying party", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.rp = "evil.example"
			return d.assert(o), kept
		}, "anonymous"},
		{"another challenge", func(d *device, o asked, kept string) (json.RawMessage, string) {
			o.Challenge = []byte("made up, of thirty-two characters")
			return d.assert(o), kept
		}, "anonymous"},
		{"another browser's cookie", func(d *device, o asked, _ string) (json.RawMessage, string) {
			_, other := s.toSignIn()
			return d.assert(o), other
		}, "anonymous"},
		{"no cookie", func(d *device, o asked, _ string) (json.RawMessage, string) { return d.assert(o), "x=y" }, "anonymous"},
		{"a cookie that is made up", func(d *device, o asked, _ string) (json.RawMessage, string) {
			return d.assert(o), passkeyCookie + "=" + strings.Repeat("A", 200)
		}, "anonymous"},
		{"the cookie of a ceremony that adds", func(d *device, _ asked, _ string) (json.RawMessage, string) {
			_, cookie := s.person("carl")
			adding, kept := s.toAdd(cookie)
			return d.assert(asked{Challenge: adding.Challenge, RelyingPartyID: d.rp}), kept
		}, "anonymous"},
		{"too late", func(d *device, o asked, kept string) (json.RawMessage, string) {
			pass(5 * time.Minute)
			return d.assert(o), kept
		}, "anonymous"},
		{"nobody verified", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.options.UserNotVerified = true
			return d.assert(o), kept
		}, "anonymous"},
		{"nobody present", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.options.UserNotPresent = true
			return d.assert(o), kept
		}, "anonymous"},
		{"the name of another person", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.options.UserHandle = []byte(bob.ID)
			return d.assert(o), kept
		}, "anonymous"},
		{"no name", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.options.UserHandle = nil
			return d.assert(o), kept
		}, "anonymous"},
		{"the key of another person", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.key.Key = bobs.key.Key
			return d.assert(o), kept
		}, "anonymous"},
		{"a passkey that is not known", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.key = newKey()
			return d.assert(o), kept
		}, "anonymous"},
		{"on several devices, which it never was", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.options.BackupEligible = true
			return d.assert(o), kept
		}, "anonymous"},
		{"an answer that is none", func(_ *device, _ asked, kept string) (json.RawMessage, string) {
			return json.RawMessage(`{"id":"AA","type":"public-key"}`), kept
		}, "anonymous"},
		{"a new passkey in place of an answer", func(d *device, o asked, kept string) (json.RawMessage, string) {
			return d.create(t, virtualwebauthn.AttestationOptions{Challenge: o.Challenge, UserID: ann.ID}), kept
		}, "anonymous"},
		{"a copy of the authenticator", func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.key.Counter -= 2
			return d.assert(o), kept
		}, "user:ann@example.com"},
		{"the person is disabled", func(d *device, o asked, kept string) (json.RawMessage, string) {
			patch(ann.ID, object{"disabled": true})
			return d.assert(o), kept
		}, "user:ann@example.com"},
		{"an answer that was used", func(*device, asked, string) (json.RawMessage, string) {
			var o asked
			o, bobsKept = s.toSignIn()
			bobs.key.Counter-- // as of one that counts nothing
			bobsAnswer = bobs.assert(o)
			require.Equal(t, 200, s.byPasskey(bobsAnswer, bobsKept).status)
			return bobsAnswer, bobsKept
		}, "user:bob@example.com"},
	} {
		good, kept := s.toSignIn() // with a counter that went on
		got := s.byPasskey(d.assert(good), kept)
		require.Equal(t, 200, got.status, "%s: %s", c.name, got.body)
		entry := s.lastAudit("session.create")
		require.Equal(t, []any{"user:ann@example.com", audit.Succeeded, audit.Target{Type: "passkeys", ID: made.ID}},
			[]any{entry.Actor, entry.Outcome, entry.Target})

		tampered := *d
		o, kept := s.toSignIn()
		answer, kept := c.answer(&tampered, o, kept)
		got = s.byPasskey(answer, kept)
		require.Equal(t, 401, got.status, "%s: %s", c.name, got.body)
		require.Nil(t, cookies(t, got)[sessionCookie], c.name)
		require.Equal(t, -1, cookies(t, got)[passkeyCookie].MaxAge, c.name)
		entry = s.lastAudit("session.create")
		require.Equal(t, []any{c.actor, audit.Refused}, []any{entry.Actor, entry.Outcome}, c.name)
		patch(ann.ID, object{"disabled": false})
		pass(2 * time.Minute) // nobody is kept waiting for what others got wrong
	}
	require.Equal(t, 200, s.call("GET", "/api/session", nil, "X-API-Key", apiKey).status)
}

// TestPasskeyAddition: an authenticator that answers something else, or for somebody else, adds nothing.
func TestPasskeyAddition(t *testing.T) {
	t.Parallel()
	s, pass := passkeyService(t)
	ann, cookie, _, first := s.withPasskey("ann")
	_, bobsCookie := s.person("bob")
	type asked = virtualwebauthn.AttestationOptions
	for name, answer := range map[string]func(d *device, o asked, kept string) (json.RawMessage, string){
		"another page": func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.origin = "https://evil.example"
			return d.create(t, o), kept
		},
		"another relying party": func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.rp = "evil.example"
			return d.create(t, o), kept
		},
		"another challenge": func(d *device, o asked, kept string) (json.RawMessage, string) {
			o.Challenge = []byte("made up, of thirty-two characters")
			return d.create(t, o), kept
		},
		"another browser's cookie": func(d *device, o asked, _ string) (json.RawMessage, string) {
			_, other := s.toAdd(cookie)
			return d.create(t, o), other
		},
		"begun by another person": func(d *device, _ asked, _ string) (json.RawMessage, string) {
			o, kept := s.toAdd(bobsCookie)
			return d.create(t, o), kept
		},
		"begun to sign in": func(d *device, _ asked, _ string) (json.RawMessage, string) {
			o, kept := s.toSignIn()
			return d.create(t, asked{Challenge: o.Challenge, UserID: ann.ID}), kept
		},
		"no cookie": func(d *device, o asked, _ string) (json.RawMessage, string) { return d.create(t, o), "x=y" },
		"too late": func(d *device, o asked, kept string) (json.RawMessage, string) {
			pass(5 * time.Minute)
			return d.create(t, o), kept
		},
		"nobody verified": func(d *device, o asked, kept string) (json.RawMessage, string) {
			d.options.UserNotVerified = true
			return d.create(t, o), kept
		},
		"an answer that signs in": func(d *device, o asked, kept string) (json.RawMessage, string) {
			return d.assert(virtualwebauthn.AssertionOptions{Challenge: o.Challenge}), kept
		},
	} {
		o, kept := s.toAdd(cookie)
		made, kept := answer(newDevice(), o, kept)
		got := s.addPasskey("x", made, kept, cookie)
		require.Equal(t, 422, got.status, "%s: %s", name, got.body)
		require.Equal(t, -1, cookies(t, got)[passkeyCookie].MaxAge, name)
		require.Equal(t, audit.Failed, s.lastAudit("passkeys.add").Outcome)
	}
	list := func() (out struct {
		Items     []httpapi.Passkey
		Available bool
	}) {
		s.call("GET", "/api/passkeys", nil, "Cookie", cookie).into(t, &out)
		return out
	}
	require.Equal(t, []httpapi.Passkey{first}, list().Items)

	d := newDevice()
	o, kept := s.toAdd(cookie)
	made := d.create(t, o)
	got := s.addPasskey("phone", made, kept, cookie)
	require.Equal(t, 201, got.status, string(got.body))
	var phone httpapi.Passkey
	got.into(t, &phone)
	entry := s.lastAudit("passkeys.add")
	require.Equal(t, []any{"user:ann@example.com", audit.Succeeded, audit.Target{Type: "passkeys", ID: phone.ID}},
		[]any{entry.Actor, entry.Outcome, entry.Target})
	require.Equal(t, 409, s.addPasskey("again", made, kept, cookie).status, "once")
	again, keptAgain := s.toAdd(cookie)
	require.Equal(t, 409, s.addPasskey("again", d.create(t, again), keptAgain, cookie).status, "it is there")
	bobsAsked, bobsKept := s.toAdd(bobsCookie)
	require.Equal(t, 409, s.addPasskey("hers", d.create(t, bobsAsked), bobsKept, bobsCookie).status, "it is somebody's")
	var items struct{ Items []object }
	s.call("GET", "/api/passkeys", nil, "Cookie", cookie).into(t, &items)
	require.Equal(t, []object{{"id": first.ID, "name": "laptop", "createdAt": items.Items[0]["createdAt"]},
		{"id": phone.ID, "name": "phone", "createdAt": items.Items[1]["createdAt"]}}, items.Items, "nothing of the key")

	remove := func(id, cookie string) answer { return s.with(cookie, "DELETE", "/api/passkeys/"+id) }
	require.Equal(t, 404, remove(phone.ID, bobsCookie).status, "it is hers")
	require.Equal(t, 204, remove(phone.ID, cookie).status)
	entry = s.lastAudit("passkeys.remove")
	require.Equal(t, []any{"user:ann@example.com", phone.ID}, []any{entry.Actor, entry.Target.ID})
	require.Equal(t, 409, s.addPasskey("again", made, kept, cookie).status, "nor after it was removed")
	require.Equal(t, 404, remove(phone.ID, cookie).status)
	signing, keptSigning := s.toSignIn()
	require.Equal(t, 401, s.byPasskey(d.assert(signing), keptSigning).status, "it was removed")
	require.Equal(t, 422, s.addPasskey("\u0007", made, kept, cookie).status)

	for range 19 {
		o, kept := s.toAdd(cookie)
		require.Equal(t, 201, s.addPasskey("many", newDevice().create(t, o), kept, cookie).status)
	}
	o, kept = s.toAdd(cookie)
	require.Equal(t, 409, s.addPasskey("too many", newDevice().create(t, o), kept, cookie).status)
	require.True(t, list().Available)
	for _, p := range list().Items {
		require.Equal(t, 204, remove(p.ID, cookie).status, "she has a password")
	}

	pass(15*time.Minute + time.Second)
	late := s.call("GET", "/api/passkeys/challenge", nil, "Cookie", cookie)
	require.Equal(t, 409, late.status, "a session that somebody has taken over ends, a passkey does not")
	require.Contains(t, problem(t, late).Detail, "sign out and in again")

	root, _ := s.signIn(apiKey)
	var token httpapi.ServiceToken
	s.post(201, "/api/service-tokens", object{"name": "t", "role": "administrator"}, "X-API-Key", apiKey).into(t, &token)
	for _, who := range [][]string{{"X-API-Key", apiKey}, {"X-API-Key", token.Token}, {"Cookie", root, "Origin", s.url}} {
		for _, row := range [][2]string{{"GET", ""}, {"GET", "/challenge"}, {"POST", ""}, {"DELETE", "/" + first.ID}} {
			var body any
			if row[0] == "POST" {
				body = object{"name": "x", "passkey": made}
			}
			require.Equal(t, 403, s.call(row[0], "/api/passkeys"+row[1], body, who...).status, "%v %v", who, row)
		}
	}
}

// TestPasskeyGuesses: after so many wrong ones from an address nothing more is looked at for a minute.
func TestPasskeyGuesses(t *testing.T) {
	t.Parallel()
	s, pass := passkeyService(t)
	_, _, d, _ := s.withPasskey("ann")
	try := func(from *http.Client, spoil bool) int {
		s.from = from
		defer func() { s.from = nil }()
		o, kept := s.toSignIn()
		if spoil {
			o.Challenge[0]++
		}
		return s.byPasskey(d.assert(o), kept).status
	}
	for range 20 {
		require.Equal(t, 401, try(nil, true))
	}
	require.Equal(t, 429, try(nil, true))
	require.Equal(t, 429, try(nil, false), "nor the right one")
	require.Equal(t, 429, try(elsewhere(t), false), "from wherever, for the same passkey")
	require.Equal(t, 429, s.call("POST", "/api/session", object{"email": "x@example.com", "password": "x"}).status)
	pass(61 * time.Second)
	require.Equal(t, 200, try(nil, false))
}

// TestPasskeyRotates: a sign-in with a passkey ends the session it came with, and the API key that comes along counts alone.
func TestPasskeyRotates(t *testing.T) {
	t.Parallel()
	s, _ := passkeyService(t)
	_, before, d, _ := s.withPasskey("ann")
	o, kept := s.toSignIn()
	got := s.byPasskey(d.assert(o), kept, before)
	require.Equal(t, 200, got.status, string(got.body))
	after := sessionCookie + "=" + cookies(t, got)[sessionCookie].Value
	require.Equal(t, 401, s.with(before, "GET", "/api/session").status)
	var id httpapi.Identity
	s.with(after, "GET", "/api/session").into(t, &id)
	require.Equal(t, []any{"user:ann@example.com", access.User, access.Viewer}, []any{id.Actor, id.Kind, id.Role})
	require.NotContains(t, string(got.body), "passkey")
}

// TestPasskeyFromInvitation: who is invited chooses a passkey in place of a password, once.
func TestPasskeyFromInvitation(t *testing.T) {
	t.Parallel()
	s, _ := passkeyService(t)
	begin := func(path string, who object) (virtualwebauthn.AttestationOptions, string) {
		body := object{"invitation": strings.TrimPrefix(path, "/welcome#")}
		maps.Copy(body, who)
		options, kept := s.challenge("POST", "/api/welcome/challenge", body)
		o, err := virtualwebauthn.ParseAttestationOptions(options)
		require.NoError(t, err)
		return *o, kept
	}
	accept := func(path string, made json.RawMessage, kept string, who object) answer {
		body := object{"invitation": strings.TrimPrefix(path, "/welcome#"), "passkey": made}
		maps.Copy(body, who)
		return s.call("POST", "/api/welcome", body, "Cookie", kept)
	}
	signs := func(d *device) int {
		o, kept := s.toSignIn()
		return s.byPasskey(d.assert(o), kept).status
	}
	first, err := s.app.FirstInvitation(t.Context())
	require.NoError(t, err)
	require.Equal(t, 422, s.call("POST", "/api/welcome/challenge", object{"invitation": strings.TrimPrefix(first, "/welcome#")}).status,
		"who is it")
	refused := s.call("POST", "/api/welcome/challenge", object{"invitation": "x"})
	require.Equal(t, 401, refused.status)
	require.Equal(t, "Bearer", refused.header.Get("WWW-Authenticate"))
	ann := object{"name": "Ann", "email": "ann@example.com"}
	d := newDevice()
	o, kept := begin(first, ann)
	made := d.create(t, o)
	require.Equal(t, 422, accept(first, made, "x=y", ann).status)
	signing, keptSigning := s.toSignIn()
	require.Equal(t, 422, accept(first, newDevice().create(t, virtualwebauthn.AttestationOptions{Challenge: signing.Challenge}), keptSigning,
		ann).status, "it is nobody's")
	got := accept(first, made, kept, ann)
	require.Equal(t, 200, got.status, string(got.body))
	require.NotNil(t, cookies(t, got)[sessionCookie])
	var id httpapi.Identity
	got.into(t, &id)
	require.Equal(t, []any{"user:ann@example.com", access.Administrator}, []any{id.Actor, id.Role})
	require.Equal(t, "passkeys", s.lastAudit("session.create").Target.Type)
	require.Equal(t, 200, signs(d))
	require.Equal(t, 401, accept(first, made, kept, ann).status, "there is somebody")

	s.key = apiKey
	var bob httpapi.Person
	s.post(201, "/api/users", object{"name": "Bob", "email": "bob@example.com", "grants": []any{object{"role": "viewer"}}}).into(t, &bob)
	s.key = ""
	bobs := newDevice()
	o, kept = begin(bob.Invitation, nil)
	require.Equal(t, []string{bob.ID, "bob@example.com"}, []string{o.UserID, o.UserName})
	other := virtualwebauthn.AttestationOptions{Challenge: []byte("x"), UserID: bob.ID}
	require.Equal(t, 422, accept(bob.Invitation, bobs.create(t, other), kept, nil).status)
	got = accept(bob.Invitation, bobs.create(t, o), kept, nil)
	require.Equal(t, 200, got.status, string(got.body))
	cookie := sessionCookie + "=" + cookies(t, got)[sessionCookie].Value
	require.Equal(t, 401, accept(bob.Invitation, bobs.create(t, o), kept, nil).status, "once")
	require.Equal(t, 401, s.call("POST", "/api/welcome", object{"invitation": strings.TrimPrefix(bob.Invitation, "/welcome#"),
		"password": aPassword}).status, "nor for a password")
	var list struct{ Items []httpapi.Passkey }
	s.with(cookie, "GET", "/api/passkeys").into(t, &list)
	require.Len(t, list.Items, 1)
	last := s.with(cookie, "DELETE", "/api/passkeys/"+list.Items[0].ID)
	require.Equal(t, 409, last.status)
	require.Contains(t, problem(t, last).Detail, "last way you can sign in")
	require.Equal(t, 200, signs(bobs))

	again := s.call("POST", "/api/users/"+bob.ID+"/invite", object{}, "X-API-Key", apiKey)
	require.Equal(t, 200, again.status, string(again.body))
	require.Equal(t, 401, signs(bobs), "who is invited again chooses anew")
	require.Equal(t, 401, s.with(cookie, "GET", "/api/session").status)
	again.into(t, &bob)
	bobs = newDevice()
	o, kept = begin(bob.Invitation, nil)
	require.Equal(t, 200, accept(bob.Invitation, bobs.create(t, o), kept, nil).status)
	require.Equal(t, 204, s.call("DELETE", "/api/users/"+bob.ID, nil, "X-API-Key", apiKey).status)
	require.Equal(t, 401, signs(bobs), "who is forgotten has none")
}

// TestPasskeysAreOff where the service has no name that browsers make passkeys for, and for those whom a provider signs in.
func TestPasskeysAreOff(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "https://192.0.2.7", "http://edge.example.com"} {
		s := embedded(t, small(), "SERVICE_API_KEY="+apiKey, "SERVICE_PUBLIC_URL="+address)
		var ways struct{ Passkeys bool }
		s.call("GET", "/api/sign-in", nil).into(t, &ways)
		require.False(t, ways.Passkeys, address)
		require.Equal(t, 409, s.call("GET", "/api/session/challenge", nil).status)
		require.Equal(t, 409, s.call("POST", "/api/session", object{"passkey": object{}}).status)
		_, cookie := s.person("ann")
		require.Equal(t, 409, s.call("GET", "/api/passkeys/challenge", nil, "Cookie", cookie).status)
		require.JSONEq(t, `{"items":[],"nextCursor":"","available":false}`, string(s.call("GET", "/api/passkeys", nil, "Cookie", cookie).body))
	}
	p := newIDP(t)
	s := withIDP(t, p, "SERVICE_PUBLIC_URL="+publicURL)
	p.as(object{"sub": "ann", "groups": []string{"admins"}})
	cookie, _, _ := s.signInAt(t, p, "/")
	s.key = ""
	require.Equal(t, 409, s.call("GET", "/api/passkeys/challenge", nil, "Cookie", cookie).status)
	require.Contains(t, string(s.call("GET", "/api/passkeys", nil, "Cookie", cookie).body), `"available":false`)
	require.Contains(t, string(s.call("GET", "/api/sign-in", nil).body), `"passkeys":true`)
}

// TestPasskeysStayInside: neither the audit log nor an answer has anything of a credential.
func TestPasskeysStayInside(t *testing.T) {
	t.Parallel()
	s, _ := passkeyService(t)
	_, cookie, d, _ := s.withPasskey("ann")
	o, kept := s.toSignIn()
	answer := d.assert(o)
	require.Equal(t, 200, s.byPasskey(answer, kept).status)
	require.Equal(t, 401, s.byPasskey(answer, kept).status)
	var sent struct{ ID string }
	require.NoError(t, json.Unmarshal(answer, &sent))
	for _, path := range []string{"/api/audit?limit=100", "/api/users", "/api/sessions"} {
		got := s.call("GET", path, nil, "X-API-Key", apiKey)
		require.Equal(t, 200, got.status)
		for _, secret := range []string{sent.ID, fmt.Sprintf("%x", d.key.ID), strings.TrimPrefix(kept, passkeyCookie+"="), "publicKey"} {
			require.NotContains(t, string(got.body), secret, path)
		}
	}
	require.NotContains(t, string(s.call("GET", "/api/passkeys", nil, "Cookie", cookie).body), sent.ID)
}
