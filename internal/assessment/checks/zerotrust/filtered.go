package zerotrust

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// filtered judges whether the traffic of devices passes Gateway at all. Every account has a default
// profile, so a profile alone does not mean that devices use it; private routes do.
func filtered() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-001", Title: "Device traffic is filtered by Gateway",
		Category: "zerotrust", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Network and HTTP policies of Gateway apply to traffic that the device client sends through it. A device " +
			"that sends only DNS is filtered by name alone.",
		Fix: "Turn on the Gateway proxy for TCP and UDP, then set the service mode of every profile to Traffic and " +
			"DNS.",
		Words: posture.Words{
			Problem: "Gateway does not see device traffic of this account",
			Impact:  "Malware and data leave a device by an IP address or an unknown name, past every network and HTTP policy.",
			Breaks: "Traffic that a Gateway policy blocks stops; applications that cannot be proxied need a Split Tunnel " +
				"entry.",
			Dashboard: "Zero Trust › Traffic policies › Traffic settings › Allow Secure Web Gateway to proxy traffic: On, with " +
				"TCP and UDP.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/devices/settings",
				Body: `{"gateway_proxy_enabled": true, "gateway_udp_proxy_enabled": true}`},
			Terraform: `resource "cloudflare_zero_trust_device_settings" "devices" {
  account_id                = "{account_id}"
  gateway_proxy_enabled     = true
  gateway_udp_proxy_enabled = true
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/devices/",
			"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Shows("cis 9.3", "Traffic of devices passes the filter."),
			check.Supports("soc2 CC6.8", "Malicious software is looked for in the traffic of devices."),
			check.Supports("pci 1.3.2", "Outbound traffic of devices passes rules."),
			check.Supports("nist PR.IR-01", "Devices are protected wherever they are."),
		},
		Aliases: []string{"flareinspect:CFL-DEVICE-001"},
		Needs: []snapshot.Named{snapshot.DeviceSettings, snapshot.DevicePolicy, snapshot.DevicePolicies, snapshot.AccessApps,
			snapshot.PrivateRoutes},
		Evaluate: evaluateFiltered,
	}
}

func filteredExamples() []goodtest.Example {
	off := false
	settings := func(change func(*snapshot.DeviceNetwork)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.DeviceSettings, goodtest.Account, change) }
	}
	mode := func(word string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DevicePolicies, goodtest.Account, func(ps *[]snapshot.DeviceProfile) { (*ps)[0].ServiceMode = word })
		}
	}
	include := func(list ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DevicePolicies, goodtest.Account, func(ps *[]snapshot.DeviceProfile) { (*ps)[0].Include = list })
		}
	}
	noProxy := settings(func(n *snapshot.DeviceNetwork) { n.Proxy = &off })
	noDevice := goodtest.Edits(editApps(func(as *[]snapshot.AccessApp) { *as = nil }), func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.DevicePolicies, goodtest.Account, []snapshot.DeviceProfile{})
	})
	noRoute := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.PrivateRoutes, goodtest.Account, []snapshot.PrivateRoute{})
	}
	return []goodtest.Example{
		{Name: "the full client", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "another mode in a profile that is off", Want: posture.Pass, Edit: goodtest.Edits(mode("proxy"), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DevicePolicies, goodtest.Account, func(ps *[]snapshot.DeviceProfile) { (*ps)[0].Enabled = false })
		})},
		{Name: "no proxy", Want: posture.Fail, Resource: goodtest.Account, Edit: noProxy},
		{Name: "no proxy before private routes", Want: posture.Fail, Edit: goodtest.Edits(noProxy, noDevice)},
		{Name: "traffic without names", Want: posture.Pass, Edit: mode("warp_tunnel_only")},
		{Name: "only the state of the device", Want: posture.Warning, Resource: goodtest.Account, Edit: mode("posture_only")},
		{Name: "only listed addresses", Want: posture.Warning, Resource: goodtest.Account, Edit: include("10.0.0.0/8")},
		{Name: "only listed addresses, which are all", Want: posture.Pass, Edit: include("0.0.0.0/0", "::/0")},
		{Name: "only listed addresses, in a profile that is off", Want: posture.Pass, Edit: goodtest.Edits(include("10.0.0.0/8"),
			func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.DevicePolicies, goodtest.Account, func(ps *[]snapshot.DeviceProfile) { (*ps)[0].Enabled = false })
			})},
		{Name: "listed addresses nobody can read", Want: posture.Unknown, Edit: include("10.0.0.0/99")},
		{Name: "only names", Want: posture.Warning, Resource: goodtest.Account, Edit: mode("1dot1")},
		{Name: "only programs that ask for it", Want: posture.Warning, Resource: goodtest.Account, Edit: mode("proxy")},
		{Name: "no UDP", Want: posture.Warning, Resource: goodtest.Account, Edit: settings(func(n *snapshot.DeviceNetwork) { n.UDP = &off })},
		{Name: "the proxy is not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: settings(func(n *snapshot.DeviceNetwork) { n.Proxy = nil })},
		{Name: "a mode nobody knows", Want: posture.Unknown, Edit: mode("quantum")},
		{Name: "no device and no route", Want: posture.NotApplicable, Edit: goodtest.Edits(noProxy, noDevice, noRoute)},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: goodtest.Edits(unused, func(b *snapshot.Builder) {
			for _, k := range []snapshot.Named{snapshot.DeviceSettings, snapshot.DevicePolicy, snapshot.DevicePolicies} {
				b.Mark(k.Source(), snapshot.Skipped, "", "Access is not in use")
			}
		})},
	}
}

func evaluateFiltered(v *check.View) check.Outcome {
	if !check.DeviceManaged(v) && len(check.Read(v, snapshot.PrivateRoutes)) == 0 {
		return v.NotApplicable("no device is managed and no private route exists")
	}
	if v.StatusOf(snapshot.DeviceSettings) != snapshot.OK {
		return v.NotApplicable("the account has no device settings")
	}
	n := check.Read(v, snapshot.DeviceSettings)
	var partial, listed []posture.Evidence
	var limited []snapshot.DeviceProfile
	odd := n.Proxy == nil || n.UDP == nil
	for _, p := range check.Profiles(v) {
		carries := exposure.Carries(p.Include)
		switch {
		case strings.HasPrefix(p.ServiceMode, "warp") && carries == truth.No:
			listed = append(listed, p.Evidence("include", check.Count(len(p.Include), "entry", "entries"), "no list, or all of the internet"))
		case carries == truth.Undecided:
			odd = true
		case p.ServiceMode == "warp" || p.ServiceMode == "warp_tunnel_only": // warp_tunnel_only is Traffic only: all but DNS
		case slices.Contains([]string{"1dot1", "doh", "doh_only", "proxy", "posture_only"}, p.ServiceMode):
			partial = append(partial, p.Evidence("service_mode", p.ServiceMode, "warp"))
			limited = append(limited, p.DeviceProfile)
		default:
			odd = true
		}
	}
	if n.UDP != nil && !*n.UDP {
		partial = append(partial, check.Evidence(snapshot.DeviceSettings, "/gateway_udp_proxy_enabled", "false", "true"))
	}
	switch {
	case n.Proxy != nil && !*n.Proxy:
		return v.Fail("The Gateway proxy is off, so Gateway sees the DNS queries of devices and not their traffic.",
			check.Evidence(snapshot.DeviceSettings,
				"/gateway_proxy_enabled", "false", "true"))
	case len(partial) > 0:
		return v.Warn("Part of the traffic of devices does not pass Gateway.", append(partial, listed...)...).As(partialWords(limited))
	case len(listed) > 0:
		return v.Warn("Device profiles send only listed addresses through Gateway.", listed...).As(posture.Words{
			Problem: "Devices of this account send only listed addresses through Gateway", ByHand: true,
			Dashboard: "Zero Trust › Team & Resources › Devices › Device profiles › General profiles › the profile › Split Tunnels: Exclude IPs " +
				"and domains."})
	case odd:
		return v.Unknown("Cloudflare returned device settings this check cannot read")
	}
	return v.Pass("The traffic of devices passes Gateway.")
}

// partialWords returns the words for profiles whose service mode excludes traffic. A single one is
// changed with one request.
func partialWords(limited []snapshot.DeviceProfile) posture.Words {
	if len(limited) == 0 {
		return posture.Words{Problem: "UDP traffic of devices in this account bypasses Gateway"}
	}
	w := posture.Words{Problem: "A device profile of this account leaves traffic out of Gateway", ByHand: true,
		Dashboard: "Zero Trust › Team & Resources › Devices › Device profiles › General profiles › the profile › Service mode: Traffic and DNS."}
	if len(limited) == 1 {
		w.Call = posture.Call{Method: "PATCH", Path: check.ProfilePath(limited[0]), Body: `{"service_mode_v2": {"mode": "warp"}}`}
	}
	return w
}
