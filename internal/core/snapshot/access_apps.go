package snapshot

import (
	"cmp"
	"slices"
	"strings"
)

// AccessApps holds the applications with their policies inline.
const AccessApps Key[[]AccessApp] = "account/access_apps"

// AccessApp is an application with the policies attached to it.
type AccessApp struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Domain  string   `json:"domain"`
	Domains []string `json:"domains"` // every hostname and path the app protects, including Domain
	// Public are the parts of the addresses in Domains that the application leaves to everyone.
	Public []AccessPublic `json:"public_paths,omitempty"`
	// Elsewhere are the destinations other than public addresses, in the order of the application.
	Elsewhere       []AccessDestination `json:"destinations,omitempty"`
	SessionDuration string              `json:"session_duration"`
	Policies        []AccessPolicy      `json:"policies"`
	AllowedIDPs     []string            `json:"allowed_idps,omitempty"` // empty allows every login method
	HTTPOnly        *bool               `json:"http_only_cookie_attribute,omitempty"`
	SameSite        string              `json:"same_site_cookie_attribute,omitempty"`
	BindingCookie   *bool               `json:"enable_binding_cookie,omitempty"`
	PreflightBypass *bool               `json:"options_preflight_bypass,omitempty"`
	CORS            *AccessCORS         `json:"cors_headers,omitempty"`
	MFA             *AccessMFA          `json:"mfa_config,omitempty"`
	// ByClient says whether a session of the device client signs in; nil leaves that to the
	// organisation.
	ByClient *bool `json:"allow_authenticate_via_warp,omitempty"`
	// SaaS describes the login to a third-party application.
	SaaS *AccessSaaS `json:"saas_app,omitempty"`
}

// AccessSaaS describes the login to a third-party application. Returns are the addresses to which a
// login returns.
type AccessSaaS struct {
	Auth    string   `json:"auth_type,omitempty"`
	Grants  []string `json:"grant_types,omitempty"`
	Returns []string `json:"returns,omitempty"`
}

// SortKey orders apps by id.
func (a AccessApp) SortKey() string { return a.ID }

// Link reports whether the application is a link in the App Launcher that no policy shows to anyone in particular: it guards
// nothing (developers.cloudflare.com/cloudflare-one/access-controls/applications/bookmarks/).
func (a AccessApp) Link() bool { return a.Type == "bookmark" && len(a.Policies) == 0 }

// AccessPublic is the part of a guarded address, or of a Worker, that asks nobody to sign in. Path is
// a pattern, such as /* for all of it. Behavior is what happens there instead, "" for that.
type AccessPublic struct {
	Address  string `json:"address,omitempty"`
	Path     string `json:"path"`
	Behavior string `json:"behavior,omitempty"`
}

// AccessDestination is something an application guards other than a public address. Type is
// private, via_mcp_server_portal, worker, preview_worker, all_workers or all_preview_workers; Value
// is the id of the worker or server, or the private hostname or range.
type AccessDestination struct {
	Type  string `json:"type"`
	Value string `json:"value,omitempty"`
	// Ports, Protocol and Network narrow a private destination: a list of ports and ranges, tcp or
	// udp, and the id of a virtual network. Empty means any.
	Ports    string `json:"port_range,omitempty"`
	Protocol string `json:"l4_protocol,omitempty"`
	Network  string `json:"vnet_id,omitempty"`
	// Public are the parts of a Worker that ask nobody to sign in.
	Public []AccessPublic `json:"public_paths,omitempty"`
}

// AccessCORS is the CORS configuration of an application.
type AccessCORS struct {
	AllowAllOrigins  bool `json:"allow_all_origins"`
	AllowCredentials bool `json:"allow_credentials"`
}

// AccessMFA is the second factor that Access itself requires, set on an application or a policy.
type AccessMFA struct {
	Disabled bool `json:"mfa_disabled"`
}

type accessMFAWire struct {
	Disabled       *bool    `json:"mfa_disabled"`
	Authenticators []string `json:"allowed_authenticators"`
}

// reduced returns nil for a configuration that neither demands nor drops a second factor, such as an
// empty one: every member is optional, and what is inherited holds.
func (w *accessMFAWire) reduced() *AccessMFA {
	if w == nil || w.Disabled == nil && len(w.Authenticators) == 0 {
		return nil
	}
	return &AccessMFA{Disabled: given(w.Disabled)}
}

type accessAppWire struct {
	ID                string                  `json:"id"`
	Name              string                  `json:"name"`
	Type              string                  `json:"type"`
	Domain            string                  `json:"domain"`
	SelfHostedDomains []string                `json:"self_hosted_domains"`
	Destinations      []accessDestinationWire `json:"destinations"`
	SessionDuration   string                  `json:"session_duration"`
	Policies          []struct {
		accessPolicyWire
		// Precedence is the position of the policy within the application; if it is missing, the
		// order of the list applies.
		Precedence float64 `json:"precedence"`
		Connection struct {
			SSH struct {
				Usernames []string `json:"usernames"`
				MailName  bool     `json:"allow_email_alias"`
			} `json:"ssh"`
		} `json:"connection_rules"`
	} `json:"policies"`
	AllowedIDPs     []string        `json:"allowed_idps"`
	HTTPOnly        *bool           `json:"http_only_cookie_attribute"`
	SameSite        string          `json:"same_site_cookie_attribute"`
	BindingCookie   *bool           `json:"enable_binding_cookie"`
	PreflightBypass *bool           `json:"options_preflight_bypass"`
	CORS            *accessCORSWire `json:"cors_headers"`
	MFA             *accessMFAWire  `json:"mfa_config"`
	ByClient        *bool           `json:"allow_authenticate_via_warp"`
	SaaS            *accessSaaSWire `json:"saas_app"`
}

type accessDestinationWire struct {
	Type      string       `json:"type"`
	URI       string       `json:"uri"`
	Hostname  string       `json:"hostname"`
	CIDR      string       `json:"cidr"`
	WorkerID  string       `json:"worker_id"`
	ServerID  string       `json:"mcp_server_id"`
	Ports     numberOrText `json:"port_range"`
	Protocol  string       `json:"l4_protocol"`
	Network   string       `json:"vnet_id"`
	Overrides []struct {
		Behavior string `json:"behavior"`
		Path     string `json:"path_pattern"`
	} `json:"overrides"`
}

// kind returns the type of a destination, which is optional for those that another member shows.
func (w accessDestinationWire) kind() string {
	switch {
	case w.Type != "":
		return w.Type
	case w.URI != "":
		return "public"
	case w.Hostname != "" || w.CIDR != "":
		return "private"
	case w.ServerID != "":
		return "via_mcp_server_portal"
	}
	return ""
}

// public lists the paths that ask nobody to sign in.
func (w accessDestinationWire) public() (out []AccessPublic) {
	for _, o := range w.Overrides {
		p := AccessPublic{Address: w.URI, Path: o.Path, Behavior: o.Behavior}
		if o.Behavior == "public" {
			p.Behavior = ""
		}
		out = append(out, p)
	}
	return out
}

type accessSaaSWire struct {
	Auth     string   `json:"auth_type"`
	Grants   []string `json:"grant_types"`
	Redirect []string `json:"redirect_uris"`
	Consumer string   `json:"consumer_service_url"`
}

// reduced keeps only the parts of each address that cannot be secret.
func (w *accessSaaSWire) reduced() *AccessSaaS {
	if w == nil {
		return nil
	}
	s := &AccessSaaS{Auth: w.Auth, Grants: w.Grants}
	for _, address := range append(slices.Clone(w.Redirect), w.Consumer) {
		address, _, _ = strings.Cut(strings.TrimSpace(address), "?")
		if address, _, _ = strings.Cut(address, "#"); address != "" {
			s.Returns = append(s.Returns, address)
		}
	}
	return s
}

type accessCORSWire struct {
	AllowAllOrigins  bool     `json:"allow_all_origins"`
	AllowedOrigins   []string `json:"allowed_origins"`
	AllowCredentials bool     `json:"allow_credentials"`
}

// reduced keeps whether any site is an allowed origin. A star stands for all; so does null, which
// any site can send from a sandboxed frame.
func (w *accessCORSWire) reduced() *AccessCORS {
	if w == nil {
		return nil
	}
	any := slices.ContainsFunc(w.AllowedOrigins, func(origin string) bool {
		return slices.Contains([]string{"*", "http://*", "https://*", "null"}, strings.ToLower(strings.TrimSpace(origin)))
	})
	return &AccessCORS{AllowAllOrigins: w.AllowAllOrigins || any, AllowCredentials: w.AllowCredentials}
}

func reduceAccessApp(w accessAppWire) AccessApp {
	a := AccessApp{ID: w.ID, Name: cmp.Or(w.Name, w.Domain, w.ID), Type: w.Type, Domain: ASCII(w.Domain), SessionDuration: w.SessionDuration,
		Policies: []AccessPolicy{}, AllowedIDPs: w.AllowedIDPs, HTTPOnly: w.HTTPOnly, SameSite: w.SameSite, BindingCookie: w.BindingCookie,
		PreflightBypass: w.PreflightBypass,
		CORS:            w.CORS.reduced(), MFA: w.MFA.reduced(), ByClient: w.ByClient, SaaS: w.SaaS.reduced()}
	domains := append([]string{}, w.SelfHostedDomains...)
	if w.Domain != "" {
		domains = append(domains, w.Domain)
	}
	for _, d := range w.Destinations {
		kind := d.kind()
		if d.URI != "" && kind == "public" {
			domains = append(domains, d.URI)
			a.Public = append(a.Public, d.public()...)
			continue
		}
		if kind != "" {
			a.Elsewhere = append(a.Elsewhere, AccessDestination{Type: kind, Value: cmp.Or(d.WorkerID, d.ServerID, d.Hostname, d.CIDR, d.URI),
				Ports: string(d.Ports), Protocol: d.Protocol, Network: d.Network, Public: d.public()})
		}
	}
	domains = ASCIIAll(domains)
	slices.Sort(domains)
	a.Domains = slices.Compact(domains)
	places := map[string]float64{}
	for _, p := range w.Policies {
		places[p.ID] = p.Precedence
		reduced := reduceAccessPolicy(p.accessPolicyWire)
		reduced.Usernames, reduced.MailName = p.Connection.SSH.Usernames, p.Connection.SSH.MailName
		a.Policies = append(a.Policies, reduced)
	}
	slices.SortStableFunc(a.Policies, func(x, y AccessPolicy) int { return cmp.Compare(places[x.ID], places[y.ID]) })
	return a
}

// accessApps lists the applications with their policies inline, so that no application is read
// separately
// (developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/applications/methods/list/).
func accessApps() Source {
	return list(AccessApps, Source{
		Path: "/accounts/{account_id}/access/apps", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionAccessApps, Feeds: true,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"a1","name":"wiki","type":"self_hosted","domain":"wiki.acme.example","self_hosted_domains":["wiki.acme.example"],` +
			`"session_duration":"24h","destinations":[{"type":"public","uri":"wiki.acme.example","overrides":[{"behavior":"public",` +
			`"path_pattern":"/health"}]},{"type":"private","cidr":"10.20.0.0/16","port_range":"443","l4_protocol":"tcp","vnet_id":"v1"}],` +
			`"policies":[{"id":"p2","precedence":2,"decision":"allow","include":[{"email":{"email":"ann@acme.example"}}],` +
			`"connection_rules":{"ssh":{"usernames":["ann"],"allow_email_alias":true}}},` +
			`{"id":"p1","precedence":1,"decision":"bypass","include":[{"everyone":{}}]}],` +
			`"saas_app":{"client_secret":"drop"}}]`,
	}, reduceAccessApp)
}
