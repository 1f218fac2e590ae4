package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// UserTokens holds the tokens of the user behind the credential.
const UserTokens Key[[]Token] = "user/tokens"

type tokenWire struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	IssuedOn   Time   `json:"issued_on"`
	LastUsedOn Time   `json:"last_used_on"`
	ExpiresOn  Time   `json:"expires_on"`
	NotBefore  Time   `json:"not_before"`
	Condition  struct {
		RequestIP struct {
			In []string `json:"in"`
		} `json:"request_ip"`
	} `json:"condition"`
	Policies []struct {
		Effect           string `json:"effect"`
		PermissionGroups []struct {
			Name string `json:"name"`
		} `json:"permission_groups"`
		Resources map[string]any `json:"resources"`
	} `json:"policies"`
}

func reduceToken(w tokenWire) Token {
	t := Token{ID: w.ID, Name: cmp.Or(w.Name, w.ID), Status: w.Status, IssuedOn: w.IssuedOn, LastUsedOn: w.LastUsedOn,
		ExpiresOn: w.ExpiresOn, NotBefore: w.NotBefore, SourceIPs: w.Condition.RequestIP.In, Policies: []TokenPolicy{}}
	for _, p := range w.Policies {
		policy := TokenPolicy{Effect: p.Effect, Groups: []string{}, Resources: resourceKeys(p.Resources)}
		for _, g := range p.PermissionGroups {
			policy.Groups = append(policy.Groups, g.Name)
		}
		t.Policies = append(t.Policies, policy)
	}
	return t
}

// resourceKeys lists the keys of a policy's resources, including those of nested objects: the key of
// an account may hold an object that names its zones, and is left out unless these are all. Beside a
// whole account a zone adds nothing.
func resourceKeys(m map[string]any) []string {
	const account, zone, every = "com.cloudflare.api.account.", "com.cloudflare.api.account.zone.", "com.cloudflare.api.account.zone.*"
	keys := map[string]bool{}
	var walk func(map[string]any)
	walk = func(level map[string]any) {
		for k, v := range level {
			inner, nested := v.(map[string]any)
			if _, all := inner[every]; all || !nested {
				keys[k] = true
			}
			walk(inner)
		}
	}
	walk(m)
	whole := func(k string) bool { return strings.HasPrefix(k, account) && !strings.HasPrefix(k, zone) }
	if slices.ContainsFunc(slices.Collect(maps.Keys(keys)), whole) {
		maps.DeleteFunc(keys, func(k string, _ bool) bool { return strings.HasPrefix(k, zone) && k != every })
	}
	return append([]string{}, slices.Sorted(maps.Keys(keys))...)
}

// userTokens lists the tokens of the user behind the credential
// (developers.cloudflare.com/api/resources/user/subresources/tokens/methods/list/).
func userTokens() Source {
	return list(UserTokens, Source{
		Path: "/user/tokens", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true, Permission: "User: API Tokens Read",
		After: []string{AccountTokenVerify.Source()}, Skip: ownedByAccount,
		Example: `[{"id":"t1","name":"ci","status":"active","issued_on":"2026-01-01T00:00:00Z","expires_on":"2026-12-01T00:00:00Z",` +
			`"policies":[{"effect":"allow","permission_groups":[{"id":"g","name":"DNS Read"}],` +
			`"resources":{"com.cloudflare.api.account.zone.*":"*"}}]}]`,
	}, reduceToken)
}
