package snapshot

type idpWire struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Config struct {
		SignRequest *bool `json:"sign_request"`
		PKCE        *bool `json:"pkce_enabled"`
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
	return p
}

// accessIDPs lists the login methods of the account; secrets of their
// configuration are dropped
// (developers.cloudflare.com/api/resources/zero_trust/subresources/identity_providers/methods/list/).
func accessIDPs() Source {
	return list(AccessIDPs, Source{
		Path: "/accounts/{account_id}/access/identity_providers", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionAccessOrg,
		After: []string{AccessOrg.Source()}, Skip: accessUnused,
		Example: `[{"id":"i1","name":"Directory","type":"saml","config":{"sign_request":true,"idp_public_certs":["drop"],` +
			`"client_secret":"drop"},"scim_config":{"enabled":true,"user_deprovision":true,"secret":"drop"}},{"id":"i2","name":"Code",` +
			`"type":"onetimepin","config":{}}]`,
	}, reduceIDP)
}
