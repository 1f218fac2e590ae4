package simcloud

import (
	"fmt"
	"net/http"
	"time"
)

// budget is the request budget of one user or account token.
type budget struct {
	start   time.Time   // start of the fixed window
	used    int         // requests in the fixed window
	recent  []time.Time // requests of the sliding window, oldest first
	blocked time.Time   // requests are refused until then
}

// spend takes n requests at once and reports whether they were allowed, how
// many are left and when the window renews.
func (b *budget) spend(l Limit, now time.Time, n int) (allowed bool, left int, renew time.Duration) {
	if now.Before(b.blocked) {
		return false, 0, b.blocked.Sub(now)
	}
	if !b.blocked.IsZero() {
		// An expired block starts a fresh window.
		*b = budget{}
	}
	if l.Sliding {
		renew = b.slide(l, now, n)
	} else {
		if b.start.IsZero() || now.Sub(b.start) >= l.Window {
			b.start, b.used = now, 0
		}
		b.used += n
		renew = b.start.Add(l.Window).Sub(now)
	}
	if b.used > l.Requests {
		b.blocked = now.Add(l.Block)
		return false, 0, l.Block
	}
	return true, l.Requests - b.used, renew
}

// slide drops requests that have left the window, adds n and returns the time until the oldest leaves.
func (b *budget) slide(l Limit, now time.Time, n int) time.Duration {
	keep := 0
	for keep < len(b.recent) && now.Sub(b.recent[keep]) >= l.Window {
		keep++
	}
	b.recent = b.recent[keep:]
	for range n {
		b.recent = append(b.recent, now)
	}
	b.used = len(b.recent)
	if b.used == 0 {
		return l.Window
	}
	return b.recent[0].Add(l.Window).Sub(now)
}

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// charge takes one request from the token's budget and sets the headers that every response carries.
func (cl *Cloud) charge(t *Token, h http.Header) bool {
	l := cl.limit
	h.Set("Ratelimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, l.Requests, seconds(l.Window)))
	if l.Disabled {
		h.Set("Ratelimit", fmt.Sprintf(`"default";r=%d;t=%d`, l.Requests, seconds(l.Window)))
		return true
	}
	allowed, left, renew := cl.spend(t.owner(), 1)
	h.Set("Ratelimit", fmt.Sprintf(`"default";r=%d;t=%d`, left, seconds(renew)))
	if !allowed {
		h.Set("Retry-After", num(seconds(renew)))
	}
	return allowed
}

func (cl *Cloud) spend(owner string, n int) (bool, int, time.Duration) {
	now := cl.now()
	cl.mu.Lock()
	defer cl.mu.Unlock()
	b := cl.budgets[owner]
	if b == nil {
		b = &budget{}
		cl.budgets[owner] = b
	}
	return b.spend(cl.limit, now, n)
}

// Spend uses n requests of a user's budget, as the dashboard or another program of the same user
// would. For an account token pass its id.
func (cl *Cloud) Spend(user string, n int) {
	if !cl.limit.Disabled {
		cl.spend(user, n)
	}
}

// tooMany is the documented body of a throttled call.
func tooMany() answer {
	return refuse(http.StatusTooManyRequests, 971, "Please wait and consider throttling your request speed")
}
