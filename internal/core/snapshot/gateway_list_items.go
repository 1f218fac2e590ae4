package snapshot

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// GatewayListItems holds the items of the lists that Gateway rules, Access policies and Access groups name.
const GatewayListItems Key[[]GatewayListItem] = "gateway_list/items" // scope: list id

// GatewayListItem is an address, a range, a domain or the number of a category. Of anything else, such as
// the mail address of a person, only the presence is kept.
type GatewayListItem struct {
	Value string `json:"value"`
}

// SortKey orders items by value.
func (i GatewayListItem) SortKey() string { return i.Value }

// OtherItem is the value of items that are not kept.
const OtherItem = "?"

// gatewayListItems reads the lists that enabled Gateway rules name in the conditions on traffic and identity, and those
// of addresses that Access policies and groups name
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/lists/subresources/items/methods/list/).
func gatewayListItems() Source {
	name := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\$([0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12})\b`)
	})
	kept := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9]{1,5}|[a-z]{2,63}|([a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63})$`)
	})
	return list(GatewayListItems, Source{
		Path: "/accounts/{account_id}/gateway/lists/{item}/items", Paging: Paging{Kind: ByPage, Size: 1000},
		Permission: permissionZeroTrust, Feeds: true,
		Parent: GatewayRules.Source(), After: []string{AccessApps.Source(), AccessPolicies.Source(), AccessGroups.Source()},
		Items: func(k *Known, account string) []string {
			ids := listsOfAddresses(k, account)
			rules, _ := Cached(k, GatewayRules, account)
			for _, r := range rules {
				if !r.Enabled {
					continue
				}
				for _, m := range name().FindAllStringSubmatch(r.Traffic+" "+r.Identity, -1) {
					ids = append(ids, m[1])
				}
			}
			slices.Sort(ids)
			return slices.Compact(ids)
		},
		Example: `[{"value":"192.0.2.0/24","description":"drop","created_at":"2026-01-01T00:00:00Z"}]`,
	}, func(i GatewayListItem) GatewayListItem {
		if _, ok := Range(i.Value); ok || i.Value == "" {
			return i
		}
		if i.Value = strings.ToLower(strings.Trim(ASCII(i.Value), ".")); !kept().MatchString(i.Value) {
			i.Value = OtherItem
		}
		return i
	})
}

// listsOfAddresses names the lists of Access policies and groups.
func listsOfAddresses(k *Known, account string) (ids []string) {
	name := func(rules ...[]AccessRule) {
		for _, r := range slices.Concat(rules...) {
			if r.Kind == "ip_list" && r.Value != "" {
				ids = append(ids, r.Value)
			}
		}
	}
	apps, _ := Cached(k, AccessApps, account)
	policies, _ := Cached(k, AccessPolicies, account)
	groups, _ := Cached(k, AccessGroups, account)
	for _, a := range apps {
		policies = append(slices.Clip(policies), a.Policies...)
	}
	for _, p := range policies {
		name(p.Include, p.Require, p.Exclude)
	}
	for _, g := range groups {
		name(g.Include, g.Require, g.Exclude)
	}
	return ids
}

// Range parses an address or a range.
func Range(text string) (netip.Prefix, bool) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err == nil
}
