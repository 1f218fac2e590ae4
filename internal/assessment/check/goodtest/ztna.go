package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// Ids of the Zero Trust part of the minimal good snapshot.
const (
	IDP          = "0d100000-0000-4000-8000-000000000001"
	ServiceToken = "0d200000-0000-4000-8000-000000000001"
	MCPServer    = "tickets"
	Route        = "0d300000-0000-4000-8000-000000000001"
	Enrolment    = "0d000000-0000-4000-8000-000000000002" // the application for device enrolment
)

// goodZtna adds Zero Trust and private networks.
func goodZtna(b *snapshot.Builder) {
	goodIdentity(b)
	goodNetwork(b)
	goodGateway(b)
	goodDevices(b)
	goodSiteNetwork(b)
}

func goodNetwork(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.Tunnels, Account, func(ts *[]snapshot.Tunnel) {
		(*ts)[0].CreatedAt = InDays(-100)
		(*ts)[0].Connectors = []snapshot.Connector{{ID: "c1", Version: "2026.2.0"}, {ID: "c2", Version: "2026.1.1"}}
	})
	b.Set(snapshot.Section{Source: snapshot.TunnelConnections.Source(), Scope: Tunnel, Status: snapshot.Skipped,
		Reason: "the tunnel list names the connectors"})
	snapshot.Put(b, snapshot.PrivateRoutes, Account, []snapshot.PrivateRoute{{ID: Route, Network: "10.0.0.0/16", TunnelID: Tunnel,
		TunnelType: "cfd_tunnel"}})
}

func goodIdentity(b *snapshot.Builder) {
	on, off, first := true, false, 1
	snapshot.Edit(b, snapshot.AccessOrg, Account, func(o *snapshot.AccessOrganization) { o.MFARequired = true })
	machine := snapshot.AccessPolicy{ID: "0e000000-0000-4000-8000-000000000002", Name: "Deployment", Decision: "non_identity",
		Include: []snapshot.AccessRule{{Kind: "service_token", Value: ServiceToken}}}
	managed := snapshot.AccessPolicy{ID: "0e000000-0000-4000-8000-000000000003", Name: "Managed devices", Decision: "allow",
		Include: []snapshot.AccessRule{{Kind: "email_domain", Value: Domain}}, Require: []snapshot.AccessRule{{Kind: "certificate"}}}
	snapshot.Edit(b, snapshot.AccessApps, Account, func(apps *[]snapshot.AccessApp) {
		for i := range *apps {
			a := &(*apps)[i]
			a.AllowedIDPs, a.SameSite = []string{IDP}, "lax"
			a.HTTPOnly, a.BindingCookie, a.PreflightBypass = &on, &on, &off
			a.Policies = append(a.Policies, machine)
		}
		*apps = append(*apps, snapshot.AccessApp{ID: Enrolment, Name: "Device enrolment", Type: "warp", Domain: "shop.cloudflareaccess.com/warp",
			Domains: []string{"shop.cloudflareaccess.com/warp"}, SessionDuration: "8h", AllowedIDPs: []string{IDP},
			Policies: []snapshot.AccessPolicy{managed}})
	})
	snapshot.Put(b, snapshot.AccessIDPs, Account, []snapshot.IdentityProvider{
		{ID: IDP, Name: "Company directory", Type: "azureAD", PKCE: &on, SCIM: &on, UserDeprovision: &on}})
	snapshot.Put(b, snapshot.AccessServiceTokens, Account, []snapshot.ServiceToken{{ID: ServiceToken, Name: "Deployment", ClientID: "88bf•••",
		Duration: "8760h", Enabled: &on, ExpiresAt: InDays(300), CreatedAt: InDays(-65), SecretVersion: &first}})
	snapshot.Put(b, snapshot.MCPServers, Account, []snapshot.MCPServer{
		{ID: MCPServer, Name: "Tickets", Hostname: "https://mcp." + Domain + "/mcp", AuthType: "oauth", AuthStatus: "ready",
			SecureWebGateway: true}})
}

// AccessRule is one rule of an Access policy.
func AccessRule(kind, value string) snapshot.AccessRule {
	return snapshot.AccessRule{Kind: kind, Value: value}
}

// Logins is an example edit that sets the login methods of the account by type; their ids are
// "idp-" and the type. Every application accepts all of them.
func Logins(types ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessApps, Account, func(as *[]snapshot.AccessApp) {
			for i := range *as {
				(*as)[i].AllowedIDPs = nil
			}
		})
		idps := []snapshot.IdentityProvider{}
		for _, t := range types {
			idps = append(idps, snapshot.IdentityProvider{ID: "idp-" + t, Name: t, Type: t})
		}
		snapshot.Put(b, snapshot.AccessIDPs, Account, idps)
	}
}

// GatewayList returns an edit that sets the items of a list that Access policies or Gateway rules name.
func GatewayList(id string, values ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		items := []snapshot.GatewayListItem{}
		for _, a := range values {
			items = append(items, snapshot.GatewayListItem{Value: a})
		}
		snapshot.Put(b, snapshot.GatewayListItems, id, items)
	}
}
