package simcloud

import "slices"

// The values below stand for data that a client must never store: secrets, personal names,
// certificate bodies. They are recognisable so that a test can search a database, a log or an
// export for them. Values that look like real credentials are concatenated from halves, so that
// secret scanners do not report this file.
const (
	canaryVerification = "leakcanary-verification-key"
	canaryFirstName    = "Leakcanaryfirst"
	canaryLastName     = "Leakcanarylast"
	canaryTokenValue   = "leakcanary-token-value"
	canarySSOCode      = "leakcanary-sso-code"
	canaryClientSecret = "leakcanary-client-secret"
	canarySCIMSecret   = "leakcanary-scim-secret"
	canarySaaS         = "leakcanary-saas-secret"
	canaryDestination  = "leakcanary-destination-key"
	canaryWebhookPath  = "leakcanary-webhook-path"
	canaryWebhookSec   = "leakcanary-webhook-secret"
	canaryWorkerText   = "leakcanary-worker-text"
	canaryWorkerJSON   = "leakcanary-worker-json"
	canaryTunnelMeta   = "leakcanary-tunnel-metadata"
	canaryTunnelHost   = "leakcanary-host-header"
	canaryCertificate  = "leakcanary-certificate-body"
	canaryCSR          = "leakcanary-csr-body"
	canaryValidation   = "leakcanary-validation-record"
	canaryRuleContent  = "leakcanary-response-content"
	canaryMailLocal    = "leakcanary.oncall"
	canaryLoginDesign  = "leakcanary-login-design"
	canaryErrorMessage = "leakcanary-error-credential"
)

// plantedSecret is a credential-shaped value of a Worker variable.
type plantedSecret struct{ kind, name, value string }

// plantedSecrets returns credential shapes of well-known providers; none of
// them was ever issued.
func plantedSecrets() []plantedSecret {
	return []plantedSecret{
		{"aws", "UPLOAD_ID", "AKIA" + "Q7LEAKCANARYX2ZP"},
		{"github", "DEPLOY_REF", "ghp" + "_" + "leakcanary0Zq81bT5vKd3mXw7RfYh2Nc9Ls"},
		{"stripe", "BILLING", "sk" + "_live_" + "51leakcanaryQx7Zb3Vn9Lw2Td"},
		{"jwt", "SESSION", "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiJsZWFrY2FuYXJ5In0" + "." + "c2lnbmF0dXJlLWxlYWtjYW5hcnk"},
		{"connection", "STORE", "postgres://app:" + "leakcanaryPw9x" + "@db.internal:5432/app"},
	}
}

// entropySecret returns a secret without a known shape, with only a telling name and high entropy.
func entropySecret() plantedSecret {
	return plantedSecret{"entropy", "PAYMENT_SECRET", "vQ8" + "leakcanary" + "7Zp3Xw9LbT2nRk5Yd0Hs"}
}

// Canaries lists, in a fixed order, every value in the responses that must not appear in anything a
// client stores, logs or exports.
func Canaries() []string {
	out := []string{
		canaryVerification, canaryFirstName, canaryLastName, canaryTokenValue, canarySSOCode,
		canaryClientSecret, canarySCIMSecret, canarySaaS, canaryDestination, canaryWebhookPath,
		canaryWebhookSec, canaryWorkerText, canaryWorkerJSON, canaryTunnelMeta, canaryTunnelHost,
		canaryCertificate, canaryCSR, canaryValidation, canaryRuleContent, canaryMailLocal,
		canaryLoginDesign, canaryErrorMessage,
	}
	for _, s := range plantedSecrets() {
		out = append(out, s.value)
	}
	return slices.Concat(append(out, entropySecret().value), ztnaCanaries(), deliveryCanaries(), platformCanaries(),
		nameCanaries(), tlsCanaries(), mailCanaries())
}
