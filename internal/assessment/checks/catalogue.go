// Package checks joins the families of checks into one catalogue.
package checks

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/access"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/account"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/aigateway"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/api"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/bot"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/cache"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/ddos"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/developer"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/device"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/disclosure"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/dns"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/email"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/gateway"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/hostname"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/insight"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/logpush"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/mtls"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/network"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/notification"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/origin"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/rule"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/script"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/storage"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/tls"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/token"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/tunnel"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/waf"
	"github.com/edgeposture/edgeposture/internal/assessment/checks/zerotrust"
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
