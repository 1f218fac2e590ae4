package device

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// signal judges who outside Cloudflare can signal all devices to disconnect.
func signal() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-011", Title: "The external disconnect signal is bound to one certificate",
		Category: "posture", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Devices can ask an address of yours whether to disconnect in an emergency. With a fingerprint they accept the answer only " +
			"from the server that holds the certificate.",
		Fix: "Enter the SHA-256 fingerprint of the server's certificate beside the address of the disconnect signal.",
		Words: posture.Words{
			Problem: "Any valid certificate can disconnect the devices of this account",
			Impact: "Someone who takes over the name or the server of the signal, and gets a certificate for it, turns filtering off on " +
				"every device.",
			Breaks: "Devices ignore the signal after the certificate changes until the new fingerprint is entered.",
			Dashboard: "Zero Trust › Team & Resources › Devices › Management › Global settings › External disconnect signal: Certificate " +
				"fingerprint.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/devices/settings",
				Body: `{"external_emergency_signal_fingerprint": "{$FINGERPRINT}"}`,
				Choose: "FINGERPRINT: the SHA-256 fingerprint of the certificate, 64 hexadecimal digits " +
					"(such as 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef)"},
			Terraform: `resource "cloudflare_zero_trust_device_settings" "devices" {
  account_id                            = "{account_id}"
  external_emergency_signal_enabled     = true
  external_emergency_signal_url         = var.signal_url
  external_emergency_signal_fingerprint = var.fingerprint
}`},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/settings/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "What can switch the client off is under the organization's control."),
			check.Supports("soc2 CC6.8", "The filter cannot be turned off by a stranger's server."),
		},
		Needs:    []snapshot.Named{snapshot.DeviceSettings, snapshot.DevicePolicies, snapshot.AccessApps},
		Unless:   notManaged,
		Evaluate: evaluateSignal,
	}
}

func signalGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.DeviceSettings, goodtest.Account, func(s *snapshot.DeviceNetwork) {
		on := true
		s.Signal, s.Pinned = &on, true
	})
}

func signalExamples() []goodtest.Example {
	set := func(on, pinned bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DeviceSettings, goodtest.Account, func(s *snapshot.DeviceNetwork) { s.Signal, s.Pinned = &on, pinned })
		}
	}
	return []goodtest.Example{
		{Name: "bound", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "not bound", Want: posture.Fail, Resource: goodtest.Account, Edit: set(true, false)},
		{Name: "off", Want: posture.NotApplicable, Edit: set(false, false)},
		{Name: "off, with a fingerprint", Want: posture.NotApplicable, Edit: set(false, true)},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DeviceSettings, goodtest.Account, func(s *snapshot.DeviceNetwork) { s.Signal = nil })
		}},
		{Name: "the settings cannot be read", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DeviceSettings.Source(), snapshot.Failed, "", "no answer")
		}},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged, set(true, false))},
	}
}

func evaluateSignal(v *check.View) check.Outcome {
	switch s := check.Read(v, snapshot.DeviceSettings); {
	case s.Signal == nil:
		return v.Unknown("Cloudflare did not return whether an external disconnect signal is set")
	case !*s.Signal:
		return v.NotApplicable("no external disconnect signal is set")
	case !s.Pinned:
		return v.Fail("The external disconnect signal accepts any valid certificate.",
			check.Evidence(snapshot.DeviceSettings, "/external_emergency_signal_fingerprint", "empty", "the fingerprint of the certificate"))
	}
	return v.Pass("The external disconnect signal is bound to one certificate.")
}
