package snapshot

import (
	"net/netip"
	"slices"
)

// AccessListItems holds the addresses of the lists that Access policies and groups name.
const AccessListItems Key[[]AccessListItem] = "access_list/items" // scope: list id

// AccessListItem is an address or a range of a list. Anything else is not kept.
type AccessListItem struct {
	Value string `json:"value"`
}

// SortKey orders items by value.
func (i AccessListItem) SortKey() string { return i.Value }

// noAddress stands for an item that is no address.
const noAddress = "?"

// accessListItems reads the lists of addresses that Access policies and groups name
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/lists/subresources/items/methods/list/).
func accessListItems() Source {
	return list(AccessListItems, Source{
		Path: "/accounts/{account_id}/gateway/lists/{item}/items", Paging: Paging{Kind: ByPage, Size: 1000},
		Permission: permissionZeroTrust, Feeds: true,
		Parent: AccessApps.Source(), After: []string{AccessPolicies.Source(), AccessGroups.Source()},
		Items: func(k *Known, account string) []string {
			var ids []string
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
			slices.Sort(ids)
			return slices.Compact(ids)
		},
		Example: `[{"value":"192.0.2.0/24","description":"drop","created_at":"2026-01-01T00:00:00Z"}]`,
	}, func(i AccessListItem) AccessListItem {
		if _, ok := Range(i.Value); !ok && i.Value != "" {
			i.Value = noAddress
		}
		return i
	})
}

// Range parses an address or a range.
func Range(text string) (netip.Prefix, bool) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err == nil
}
