package snapshot

// SSHLog says whether commands of SSH sessions are logged.
const SSHLog Key[SSHLogging] = "account/ssh_log"

// SSHLogging says whether commands of SSH sessions are logged, which requires a key to encrypt
// them.
type SSHLogging struct {
	Encrypted bool `json:"encrypted"`
}

type sshLogWire struct {
	Key string `json:"public_key"`
}

// accountSSHLog reads whether commands of SSH sessions are logged, which matters only if Access
// admits users to servers
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/audit_ssh_settings/methods/get/).
func accountSSHLog() Source {
	return object(SSHLog, Source{
		Path: "/accounts/{account_id}/gateway/audit_ssh_settings", Permission: permissionZeroTrust, MayBeEmpty: true,
		After: []string{AccessOrg.Source(), AccessApps.Source()},
		Skip: firstOf(unlessAny(AccessApps, func(a AccessApp) bool { return a.Type == "infrastructure" },
			"no application admits people to servers"), accessUnused()),
		Example: `{"public_key":"drop","seed_id":"drop","created_at":"2026-01-01T00:00:00Z"}`,
	}, func(w sshLogWire) SSHLogging { return SSHLogging{Encrypted: w.Key != ""} })
}
