// Package checks joins the families of checks into one catalogue.
package checks

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/checks/access"
	"github.com/edgeposture/edgeposture/internal/checks/account"
	"github.com/edgeposture/edgeposture/internal/checks/aigateway"
	"github.com/edgeposture/edgeposture/internal/checks/api"
	"github.com/edgeposture/edgeposture/internal/checks/bot"
	"github.com/edgeposture/edgeposture/internal/checks/cache"
	"github.com/edgeposture/edgeposture/internal/checks/ddos"
	"github.com/edgeposture/edgeposture/internal/checks/developer"
	"github.com/edgeposture/edgeposture/internal/checks/device"
	"github.com/edgeposture/edgeposture/internal/checks/disclosure"
	"github.com/edgeposture/edgeposture/internal/checks/dns"
	"github.com/edgeposture/edgeposture/internal/checks/email"
	"github.com/edgeposture/edgeposture/internal/checks/gateway"
	"github.com/edgeposture/edgeposture/internal/checks/hostname"
	"github.com/edgeposture/edgeposture/internal/checks/insight"
	"github.com/edgeposture/edgeposture/internal/checks/logpush"
	"github.com/edgeposture/edgeposture/internal/checks/mtls"
	"github.com/edgeposture/edgeposture/internal/checks/network"
	"github.com/edgeposture/edgeposture/internal/checks/notification"
	"github.com/edgeposture/edgeposture/internal/checks/origin"
	"github.com/edgeposture/edgeposture/internal/checks/rule"
	"github.com/edgeposture/edgeposture/internal/checks/script"
	"github.com/edgeposture/edgeposture/internal/checks/storage"
	"github.com/edgeposture/edgeposture/internal/checks/tls"
	"github.com/edgeposture/edgeposture/internal/checks/token"
	"github.com/edgeposture/edgeposture/internal/checks/tunnel"
	"github.com/edgeposture/edgeposture/internal/checks/waf"
	"github.com/edgeposture/edgeposture/internal/checks/zerotrust"
)

// Version names the catalogue. It changes whenever a check is added, removed or
// judges differently, so that results of two runs are compared knowingly.
const Version = "2026.11.2"

// All lists every check, sorted by id.
func All() []check.Check {
	all := slices.Concat(access.Checks(), account.Checks(), bot.Checks(), developer.Checks(), dns.Checks(), email.Checks(), logpush.Checks(),
		notification.Checks(), tls.Checks(), token.Checks(), waf.Checks(),
		aigateway.Checks(), api.Checks(), cache.Checks(), ddos.Checks(), device.Checks(), disclosure.Checks(), gateway.Checks(), hostname.Checks(), insight.Checks(), mtls.Checks(), network.Checks(), origin.Checks(), rule.Checks(), script.Checks(), storage.Checks(), tunnel.Checks(), zerotrust.Checks())
	slices.SortFunc(all, func(a, b check.Check) int { return strings.Compare(a.ID, b.ID) })
	return all
}
