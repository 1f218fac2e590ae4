package snapshot

import "strings"

// AccessIDPs holds the login methods of the account.
const AccessIDPs Key[[]IdentityProvider] = "account/access_idps"

// IdentityProvider is a login method. A pointer is nil when the provider does not return the
// setting, which for most types means that it does not apply.
type IdentityProvider struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	Type            string `json:"type"`
	SignRequest     *bool  `json:"sign_request,omitempty"`
	PKCE            *bool  `json:"pkce_enabled,omitempty"`
	SCIM            *bool  `json:"scim_enabled,omitempty"`
	UserDeprovision *bool  `json:"user_deprovision,omitempty"`
	// Plain names the members of the configuration with an http:// address.
	Plain []string `json:"plain_endpoints,omitempty"`
	// Endpoints is the number of addresses in the configuration.
	Endpoints int `json:"endpoints,omitempty"`
}

// SortKey orders providers by id.
func (p IdentityProvider) SortKey() string { return p.ID }

// Mailed reports whether the login is Cloudflare's own, such as a code sent by mail.
func (p IdentityProvider) Mailed() bool { return p.Type == "onetimepin" || p.Type == "cloudflare" }

// Company reports whether the directory behind the login is run by a company.
func (p IdentityProvider) Company() bool {
	switch p.Type {
	case "azureAD", "centrify", "google-apps", "oidc", "okta", "onelogin", "pingone", "saml":
		return true
	default:
		return false
	}
}

// Consumer reports whether anyone can create a login of the type.
func (p IdentityProvider) Consumer() bool {
	switch p.Type {
	case "google", "github", "facebook", "linkedin", "yandex":
		return true
	default:
		return false
	}
}

type idpWire struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Config struct {
		SignRequest *bool  `json:"sign_request"`
		PKCE        *bool  `json:"pkce_enabled"`
		AuthURL     string `json:"auth_url"`
		TokenURL    string `json:"token_url"`
		CertsURL    string `json:"certs_url"`
		SSOURL      string `json:"sso_target_url"`
	} `json:"config"`
	SCIM *struct {
		Enabled         *bool `json:"enabled"`
		UserDeprovision *bool `json:"user_deprovision"`
	} `json:"scim_config"`
}

func reduceIDP(w idpWire) IdentityProvider {
	p := IdentityProvider{ID: w.ID, Name: w.Name, Type: w.Type, SignRequest: w.Config.SignRequest, PKCE: w.Config.PKCE}
	if w.SCIM != nil {
		p.SCIM, p.UserDeprovision = w.SCIM.Enabled, w.SCIM.UserDeprovision
	}
	for _, e := range []struct{ member, address string }{{"auth_url", w.Config.AuthURL}, {"certs_url", w.Config.CertsURL},
		{"sso_target_url", w.Config.SSOURL}, {"token_url", w.Config.TokenURL}} {
		if e.address == "" {
			continue
		}
		p.Endpoints++
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(e.address)), "http:") {
			p.Plain = append(p.Plain, e.member)
		}
	}
	return p
}

// accessIDPs lists the login methods of the account; secrets in their configuration are dropped
// (developers.cloudflare.com/api/resources/zero_trust/subresources/identity_providers/methods/list/).
func accessIDPs() Source {
	return list(AccessIDPs, Source{
		Path: "/accounts/{account_id}/access/identity_providers", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionAccessOrg,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"i1","name":"Directory","type":"saml","config":{"sign_request":true,` +
			`"sso_target_url":"https://idp.acme.example/sso","idp_public_certs":["drop"],` +
			`"client_secret":"drop"},"scim_config":{"enabled":true,"user_deprovision":true,"secret":"drop"}},{"id":"i2","name":"Code",` +
			`"type":"onetimepin","config":{}}]`,
	}, reduceIDP)
}
