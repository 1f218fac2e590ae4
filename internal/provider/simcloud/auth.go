package simcloud

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	statusActive = "active"
	readSuffix   = " Read"
	writeSuffix  = " Write"
)

// acceptTokens copies the configured tokens and fills in what was left out.
func (cl *Cloud) acceptTokens() []*Token {
	given := cl.opts.Tokens
	if len(given) == 0 {
		given = []Token{{Name: "Posture assessment (read only)"}}
	}
	out := make([]*Token, 0, len(given))
	for i, t := range given {
		if t.Secret == "" {
			t.Secret = "sim-" + hexID(cl.opts.Seed, "token-secret", num(i))
		}
		if t.ID == "" {
			t.ID = hexID(cl.opts.Seed, "token", t.Secret)
		}
		if t.Kind == "" {
			t.Kind = UserToken
		}
		if t.User == "" {
			t.User = "user-1"
		}
		if t.Name == "" {
			t.Name = "Assessment token " + num(i+1)
		}
		if t.Status == "" {
			t.Status = statusActive
		}
		if t.ExpiresOn == nil && !t.NoExpiry {
			end := cl.born.Add(180 * day)
			t.ExpiresOn = &end
		}
		if t.NoExpiry {
			t.ExpiresOn = nil
		}
		if t.Kind == AccountToken && len(t.Accounts) == 0 {
			t.Accounts = []string{cl.accounts[0].id}
		}
		out = append(out, &t)
	}
	return out
}

// Tokens returns the accepted tokens with all defaults filled in.
func (cl *Cloud) Tokens() []Token {
	out := make([]Token, 0, len(cl.tokens))
	for _, t := range cl.tokens {
		out = append(out, *t)
	}
	return out
}

func (cl *Cloud) tokenBySecret(secret string) *Token {
	for _, t := range cl.tokens {
		if t.Secret == secret {
			return t
		}
	}
	return nil
}

// owner returns the key of the request budget the token uses.
func (t *Token) owner() string {
	if t.Kind == AccountToken {
		return t.ID
	}
	return t.User
}

func (t *Token) mayUse(accountID string) bool {
	return len(t.Accounts) == 0 || slices.Contains(t.Accounts, accountID)
}

func (t *Token) usable(now time.Time) bool {
	return t.Status == statusActive && (t.ExpiresOn == nil || now.Before(*t.ExpiresOn))
}

// state returns the status reported by token verification.
func (t *Token) state(now time.Time) string {
	if t.Status == statusActive && !t.usable(now) {
		return "expired"
	}
	return t.Status
}

// authenticate finds the token of a request.
func (cl *Cloud) authenticate(r *http.Request, verifying bool) (*Token, answer) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return nil, refuse(http.StatusBadRequest, 9106, "Missing X-Auth-Key, X-Auth-Email or Authorization headers")
	}
	secret, found := strings.CutPrefix(header, "Bearer ")
	if !found || secret == "" || strings.ContainsAny(secret, " \t") {
		return nil, refuse(http.StatusBadRequest, 6003, "Invalid request headers")
	}
	t := cl.tokenBySecret(secret)
	if t == nil && verifying {
		return nil, invalidToken()
	}
	if t == nil || (!verifying && (!t.usable(cl.now()) || cl.isDisabled(t))) {
		return nil, refuse(http.StatusForbidden, 9109, "Invalid access token")
	}
	return t, answer{}
}

func invalidToken() answer {
	return refuse(http.StatusUnauthorized, 1000, "Invalid API Token")
}

func noPermission() answer {
	return refuse(http.StatusForbidden, 10000, "Authentication error")
}

// unsupported refuses what an account-owned token cannot read, see
// https://developers.cloudflare.com/fundamentals/api/get-started/account-owned-tokens/#compatibility-matrix.
func unsupported(path string) *answer {
	path = strings.TrimPrefix(path, BasePath)
	var a answer
	switch {
	case path == "/accounts":
		a = refuse(http.StatusBadRequest, 1001, "List accounts endpoint does not support account owned tokens.")
	case strings.Contains(path, "/pagerules"):
		a = refuse(http.StatusBadRequest, 1011, "Page Rules endpoint does not support account owned tokens.")
	case strings.HasPrefix(path, "/user") && path != "/user/tokens/verify":
		a = noAccess()
	default:
		return nil
	}
	return &a
}

func noAccess() answer {
	return refuse(http.StatusForbidden, 9109, "Unauthorized to access requested resource")
}

// permits reports whether a token holds a permission of the routes table.
func (cl *Cloud) permits(t *Token, permission string) bool {
	if permission == "" {
		return true
	}
	if strings.HasSuffix(permission, writeSuffix) && !t.CanWrite {
		return false
	}
	cl.mu.Lock()
	gone := cl.denied[permission]
	cl.mu.Unlock()
	return !gone && !slices.Contains(t.Denied, permission)
}

// tokenTruth returns the findings about the run's own credential, and about the tokens that only
// this credential can list.
func (cl *Cloud) tokenTruth(a *account, t *Token) []Planted {
	var found []Planted
	add := func(check, id, result string) {
		found = append(found, Planted{check, "token", id, result})
	}
	if t.Status != statusActive || !t.usable(cl.born) {
		add("CFL-TOK-001", t.ID, "FAIL")
	} else if t.ExpiresOn != nil {
		switch left := t.ExpiresOn.Sub(cl.born); {
		case left <= 14*day:
			add("CFL-TOK-001", t.ID, "FAIL")
		case left <= 30*day:
			add("CFL-TOK-001", t.ID, "WARNING")
		}
	}
	if t.CanWrite {
		add("CFL-TOK-006", t.ID, "FAIL")
	}
	for _, other := range cl.tokens {
		listed := other.Kind == AccountToken && other.mayUse(a.id) ||
			other.Kind == UserToken && t.Kind == UserToken && other.User == t.User
		if listed && other.Status == statusActive && other.ExpiresOn == nil {
			add("CFL-TOK-002", other.ID, "FAIL")
		}
		if listed && other.usable(cl.born) {
			found = append(found, cl.listedTruth(other, other == t)...)
		}
	}
	return found
}
