package httpapi

import (
	"context"
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/store"
)

// authenticate asks for the API key, or a session made with it, on everything that tells
// or does something.
func (s *Server) authenticate(c *fiber.Ctx) error {
	n := callIn(c)
	if len(s.o.APIKeys) == 0 {
		n.entry.Actor = local
		return c.Next()
	}
	if !s.guarded(c.Path()) {
		return c.Next()
	}
	n.secretHash = s.secretHash(c.Cookies(sessionCookie))
	key := c.Get("X-API-Key")
	if keyOnly := n.row != nil && n.row.Caller == KeyHolder; key == "" && n.secretHash != nil && !keyOnly {
		return s.bySession(c, n)
	}
	if p := s.wrong.refuses(c.IP(), s.o.Now(), "Too many wrong API keys came from this address; wait and send the right one in "+
		"X-API-Key."); p != nil {
		return s.fence(c, p) // and nothing is compared
	}
	if s.known(key) {
		n.credential = s.o.Key.Fingerprint(secret.New(key))
		n.entry.Actor = "key:" + n.credential[:8]
		return c.Next()
	}
	if key != "" {
		s.wrong.add(c.IP(), s.o.Now())
	}
	return s.fence(c, posture.Problemf(posture.CodeUnauthorized, "This needs the API key; send it in the X-API-Key header."))
}

// known compares with every key in force, so that the time taken does not tell
// which one matched.
func (s *Server) known(key string) bool {
	found := false
	for _, k := range s.o.APIKeys {
		found = k.Equal(key) || found
	}
	return found
}

// bySession lets a caller through who sends the cookie of a session. A browser adds it to
// whatever a page makes it ask for. SameSite=Lax keeps it out of what other sites send, and
// origin refuses what a browser marks as theirs; one too old for either must not pass
// because it says nothing, so what is no read has to name the page it comes from, as every
// browser of today does.
func (s *Server) bySession(c *fiber.Ctx, n *called) error {
	if m := c.Method(); m != fiber.MethodGet && m != fiber.MethodHead && c.Get("Origin") == "" && c.Get("Sec-Fetch-Site") == "" {
		return s.fence(c, posture.Problemf(posture.CodeOriginDenied,
			"With a session, a request that may change something must say by Origin or Sec-Fetch-Site which page it comes from; use a newer "+
				"browser, or send the API key in X-API-Key."))
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), probeWithin)
	defer cancel()
	row, err := s.o.Store.SessionBySecret(ctx, n.secretHash)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		s.o.Log.ErrorContext(ctx, "a session could not be looked up", "requestId", n.entry.RequestID, "error", err)
		return s.fence(c, posture.Problemf(posture.CodeUnavailable, "The session could not be looked up in the store: %s. Try again after that.",
			reasonOf(err)))
	}
	if err != nil || !s.lasts(row) {
		return s.fence(c, posture.Problemf(posture.CodeUnauthorized, "The session has ended; sign in again with the API key."))
	}
	n.entry.Actor, n.session = row.Actor, s.used(ctx, row)
	return c.Next()
}

// lasts reports whether a session has not ended and the key it was made with is in force.
func (s *Server) lasts(row store.SessionRow) bool {
	return s.now().Before(row.EndsAt) && slices.Contains(s.credentials, row.Credential)
}

// used notes that a session is used, once a minute. When that cannot be written the session
// only ends earlier.
func (s *Server) used(ctx context.Context, row store.SessionRow) *store.SessionRow {
	now := s.now()
	if now.Sub(row.UsedAt) < sessionNoted {
		return &row
	}
	ends := sessionEnd(row.CreatedAt, now)
	if err := s.o.Store.UseSession(ctx, row, now, ends); err != nil {
		s.o.Log.WarnContext(ctx, "the use of a session could not be noted", "session", row.ID, "error", err)
		return &row
	}
	row.UsedAt, row.EndsAt = now, ends
	return &row
}
