package device

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// split judges how much of the internet a profile excludes. Excluded private networks are judged by
// CFL-DEVICE-002.
func split() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-009", Title: "Split tunnels leave little of the internet out",
		Category: "posture", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Addresses in the exclude list of Split Tunnels leave a device past Gateway. Ranges of a cloud provider hold the servers of " +
			"all its customers, those of attackers, too.",
		Fix: "Replace wide public ranges in the exclude list by hostnames, or by the addresses that the application really uses.",
		Words: posture.Words{
			Problem: "Parts of the internet bypass the device client in this account",
			Impact: "Anyone who rents a server in an excluded range sends malware to a device and takes data from it past every Gateway " +
				"policy and log.",
			Breaks:    "Applications that were excluded because they fail behind Gateway may need a policy of their own.",
			Dashboard: profilesAt + "Split Tunnels › Manage: replace the wide ranges.",
			Terraform: `resource "cloudflare_zero_trust_device_default_profile" "default" {
  account_id = "{account_id}"
  exclude    = [{ host = var.excluded_host }]
}`},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/" +
				"route-traffic/split-tunnels/"},
		Controls: check.Controls{
			check.Supports("cis 9.3", "Little traffic of devices passes by the filter."),
			check.Supports("cis 13.10", "Traffic of devices passes the filter wherever they are."),
			check.Supports("soc2 CC6.6", "The boundary has no wide hole."),
			check.Supports("nist DE.CM-01", "Traffic of devices is seen, but for narrow exceptions."),
		},
		Needs:    []snapshot.Named{snapshot.DevicePolicy, snapshot.DevicePolicies, snapshot.AccessApps},
		Unless:   notManaged,
		Evaluate: evaluateSplit,
	}
}

func splitExamples() []goodtest.Example {
	exclude := func(list ...string) func(*snapshot.Builder) {
		return editCustom(func(p *snapshot.DeviceProfile) { p.Exclude = list })
	}
	include := func(list ...string) func(*snapshot.Builder) {
		return editCustom(func(p *snapshot.DeviceProfile) { p.Exclude, p.Include = []string{}, list })
	}
	return []goodtest.Example{
		{Name: "link-local addresses", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "what Cloudflare sets at first", Want: posture.Pass,
			Edit: exclude("10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12",
				"192.0.0.0/24", "192.168.0.0/16", "224.0.0.0/24", "240.0.0.0/4", "255.255.255.255/32", "fe80::/10", "fd00::/8", "ff01::/16")},
		{Name: "a host and a small range", Want: posture.Pass, Edit: exclude("video.example", "185.1.0.0/16", "2a00:1:2::/48")},
		{Name: "half of IPv6, without a public address", Want: posture.Pass, Edit: exclude("8000::/1")},
		{Name: "a wide profile that is off", Want: posture.Pass,
			Edit: editCustom(func(p *snapshot.DeviceProfile) { p.Exclude, p.Enabled = []string{"52.0.0.0/8"}, false })},
		{Name: "a profile that carries listed addresses only", Want: posture.Warning, Resource: goodtest.Account, Edit: include("10.0.0.0/8")},
		{Name: "a profile that carries listed hosts only", Want: posture.Warning, Edit: include("wiki.corp.example")},
		{Name: "a profile that carries every address by a list", Want: posture.Pass, Edit: include("0.0.0.0/0", "::/0")},
		{Name: "a profile that carries every public address by a list", Want: posture.Pass,
			Edit: include("0.0.0.0/1", "128.0.0.0/1", "2000::/3")},
		{Name: "a profile that carries every v4 address only", Want: posture.Warning, Edit: include("0.0.0.0/0")},
		{Name: "a profile that carries a range nobody can read", Want: posture.Unknown, Edit: include("10.0.0.0/99")},
		{Name: "a /8", Want: posture.Warning, Resource: goodtest.Account, Edit: exclude("52.0.0.0/8")},
		{Name: "many small ranges", Want: posture.Warning, Edit: exclude("185.0.0.0/13", "186.0.0.0/13", "187.0.0.0/13")},
		{Name: "a v6 /20", Want: posture.Warning, Edit: exclude("2a00::/20")},
		{Name: "the two halves of the internet", Want: posture.Fail, Resource: goodtest.Account, Edit: exclude("0.0.0.0/1", "128.0.0.0/1")},
		{Name: "a quarter of the internet", Want: posture.Fail, Edit: exclude("64.0.0.0/2")},
		{Name: "everything", Want: posture.Fail, Edit: exclude("0.0.0.0/0")},
		{Name: "every v6 address", Want: posture.Fail, Edit: exclude("::/0")},
		{Name: "every public v6 address", Want: posture.Fail, Edit: exclude("2000::/3")},
		{Name: "a range nobody can read", Want: posture.Unknown, Resource: goodtest.Account, Edit: exclude("1.2.3.0/33")},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged,
			editDefault(func(p *snapshot.DeviceProfile) { p.Exclude = []string{"0.0.0.0/0"} }))},
	}
}

func evaluateSplit(v *check.View) check.Outcome {
	var severe, mild, listed []posture.Evidence
	odd, custom := false, false // the Terraform is for the default profile
	for _, p := range check.Profiles(v) {
		v4, v6, ok := exposure.Public(p.Exclude)
		carries := exposure.Carries(p.Include)
		odd = odd || !ok || carries == truth.Undecided
		if carries == truth.No {
			listed = append(listed, p.Evidence("include", check.Count(len(p.Include), "entry", "entries"), "no list, or all of the internet"))
		}
		seen := p.Evidence("exclude", check.Count(len(p.Exclude), "entry", "entries"), "hostnames and small ranges")
		switch {
		case v4 >= 1.0/16 || v6 >= 1.0/16:
			severe, custom = append(severe, seen), custom || !p.Default
		case v4 >= 1.0/4096 || v6 >= 1.0/(1<<20):
			mild, custom = append(mild, seen), custom || !p.Default
		}
	}
	switch {
	case len(severe) > 0:
		return v.Fail("A large part of the internet bypasses the client by "+check.Count(len(severe), "device profile", "")+".",
			append(severe, mild...)...).As(posture.Words{ByHand: custom})
	case len(listed) > 0:
		return v.Warn("Only listed addresses pass the client by "+check.Count(len(listed), "device profile", "")+"; the rest of the internet "+
			"bypasses Gateway.", append(listed, mild...)...).As(posture.Words{
			Problem: "Most of the internet bypasses the device client in this account", ByHand: true,
			Breaks:    "Applications that fail behind Gateway need an entry in the exclude list.",
			Dashboard: profilesAt + "Split Tunnels: Exclude IPs and domains."})
	case len(mild) > 0:
		return v.Warn("More than a million public addresses bypass the client by "+check.Count(len(mild), "device profile", "")+".", mild...).
			As(posture.Words{ByHand: custom}).Rated(posture.Low)
	case odd:
		return v.Unknown("a device profile excludes or includes a range this check cannot read")
	}
	return v.Pass("The device profiles exclude small parts of the internet.")
}
