// Package policy holds the limits and lists of an account that checks apply.
package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Policy holds the thresholds and operator lists that checks use. Do not use the zero value; start
// from Default. Lists are empty by default: checks make no exceptions until someone configures
// them.
type Policy struct {
	// Credentials. Days count from the time of the run.
	TokenFailDays        int `json:"tokenFailDays" doc:"a token that ends within so many days fails"`
	TokenWarnDays        int `json:"tokenWarnDays" doc:"the run's own token that ends within so many days warns"`
	TokenUnusedDays      int `json:"tokenUnusedDays" doc:"a token that was not used for so many days fails"`
	TokenAgeWarnDays     int `json:"tokenAgeWarnDays" doc:"a token that was not rotated for so many days warns"`
	TokenAgeFailDays     int `json:"tokenAgeFailDays" doc:"a token that was not rotated for so many days fails"`
	TokenWriteGroups     int `json:"tokenWriteGroups" doc:"a token with more write permissions than this on every account or zone fails"`
	ServiceTokenWarnDays int `json:"serviceTokenWarnDays" doc:"a service token that ends within so many days warns"`
	ServiceTokenAgeDays  int `json:"serviceTokenAgeDays" doc:"a service token older than this fails"`
	ServiceTokenHours    int `json:"serviceTokenHours" doc:"longest life of a service token, in hours"`

	// People.
	AdminLimit    int      `json:"adminLimit" doc:"most members who hold every right, super administrators among them"`
	AdminPercent  int      `json:"adminPercent" doc:"or so many of 100 accepted members, when that is more; at most 100"`
	SuperAdminMin int      `json:"superAdminMin" doc:"fewest super administrators"`
	SuperAdminMax int      `json:"superAdminMax" doc:"most super administrators, however many members there are"`
	InviteDays    int      `json:"inviteDays" doc:"an invitation open for longer fails"`
	BreakGlass    []string `json:"breakGlass" doc:"member ids kept for emergencies"`

	// Access.
	SessionHours      int      `json:"sessionHours" doc:"longest Access session, in hours"`
	ShellSessionHours int      `json:"shellSessionHours" doc:"longest Access session of shells and desktops, in hours"`
	PublicHosts       []string `json:"publicHosts" doc:"host names and paths meant for everyone"`
	FactorAtIDP       bool     `json:"factorAtIdp" doc:"the identity provider enforces a second factor"`
	AppsServe         string   `json:"appsServe" enum:",internal,public" doc:"what applications serve: internal only, or public sites too"`
	PublicWorkers     []string `json:"publicWorkers" doc:"scripts meant to answer at workers.dev"`
	PublicBuckets     []string `json:"publicBuckets" doc:"R2 buckets meant for everyone"`

	// Certificates, in days before they expire.
	OriginCertDays       int `json:"originCertDays" doc:"an Origin CA certificate that ends within so many days fails"`
	ManagedCertDays      int `json:"managedCertDays" doc:"a managed edge certificate that ends within so many days fails"`
	ManagedCertWarnDays  int `json:"managedCertWarnDays" doc:"a managed edge certificate that ends within so many days warns"`
	UploadedCertDays     int `json:"uploadedCertDays" doc:"an uploaded certificate that ends within so many days fails"`
	UploadedCertWarnDays int `json:"uploadedCertWarnDays" doc:"an uploaded certificate that ends within so many days warns"`
	ClientCertDays       int `json:"clientCertDays" doc:"a client or authority certificate that ends within so many days fails"`
	ClientCertWarnDays   int `json:"clientCertWarnDays" doc:"a client or authority certificate that ends within so many days warns"`
	HostnameCertDays     int `json:"hostnameCertDays" doc:"the certificate of a custom hostname that ends within so many days warns"`

	// Names and mail.
	DomainFailDays  int      `json:"domainFailDays" doc:"a registration without renewal that ends within so many days fails"`
	DomainWarnDays  int      `json:"domainWarnDays" doc:"a registration without renewal that ends within so many days warns"`
	PendingDays     int      `json:"pendingDays" doc:"a zone, DS record, hostname or integration may be pending for so long"`
	DNSOnlyNames    []string `json:"dnsOnlyNames" doc:"names that are meant to bypass the proxy"`
	ParkedZones     []string `json:"parkedZones" doc:"zones that are paused on purpose"`
	ProductionZones []string `json:"productionZones" doc:"zones in production"`
	NameServers     []string `json:"nameServers" doc:"vanity and second-provider name servers"`
	TrustedTargets  []string `json:"trustedTargets" doc:"host names at pages.dev, tunnels and other platforms that are in good hands"`
	PlatformDomains []string `json:"platformDomains" doc:"domains below which anyone may take a name, beyond those everybody knows"`
	OwnMailDomains  []string `json:"ownMailDomains" doc:"mail domains of the organisation that are no zone here"`
	OwnHosts        []string `json:"ownHosts" doc:"hosts and domains of the organisation that are no zone here"`

	// Traffic.
	UnderAttackHours int      `json:"underAttackHours" doc:"under-attack mode on for longer fails"`
	LogOnlyDays      int      `json:"logOnlyDays" doc:"a managed ruleset in log mode for longer fails"`
	ChallengeMin     int      `json:"challengeMin" doc:"shortest challenge passage, in seconds"`
	ChallengeMax     int      `json:"challengeMax" doc:"longest challenge passage, in seconds"`
	ChallengeFail    int      `json:"challengeFail" doc:"a challenge passage above this fails, in seconds"`
	ScriptSeenDays   int      `json:"scriptSeenDays" doc:"a page script counts for so long after it was seen"`
	LoginlessZones   []string `json:"loginlessZones" doc:"zones without any login"`
	EmbeddedZones    []string `json:"embeddedZones" doc:"zones whose images are meant to be embedded"`
	SelfServedTxt    []string `json:"selfServedTxt" doc:"zones whose Worker serves security.txt"`
	NonWebBalancers  []string `json:"nonWebBalancers" doc:"load balancers that serve another protocol than HTTP"`

	// Operation.
	AuditLogPulled      bool     `json:"auditLogPulled" doc:"the audit log is pulled by API"`
	PromptsNotKept      bool     `json:"promptsNotKept" doc:"prompts to AI gateways must not be stored"`
	InsightCriticalDays int      `json:"insightCriticalDays" doc:"a critical insight open for longer fails"`
	InsightModerateDays int      `json:"insightModerateDays" doc:"a moderate insight open for longer warns"`
	InsightAdviceDays   int      `json:"insightAdviceDays" doc:"a suggestion open for longer fails"`
	SilenceWarnHours    int      `json:"silenceWarnHours" doc:"a silence that lasts longer warns"`
	SilenceFailDays     int      `json:"silenceFailDays" doc:"a silence that lasts longer fails"`
	LockDays            int      `json:"lockDays" doc:"shortest lock of log and backup buckets"`
	PermanentBuckets    []string `json:"permanentBuckets" doc:"buckets that are kept for good"`
	TunnelIdleDays      int      `json:"tunnelIdleDays" doc:"an inactive tunnel older than this should be deleted"`
	ConnectorWarnMonths int      `json:"connectorWarnMonths" doc:"a tunnel connector older than this warns"`
	ConnectorFailMonths int      `json:"connectorFailMonths" doc:"a tunnel connector older than this fails"`
	KeyAgeDays          int      `json:"keyAgeDays" doc:"a pre-shared key older than this warns"`
	CASBMediumDays      int      `json:"casbMediumDays" doc:"a medium finding of an integration older than this warns"`
	CASBCredentialDays  int      `json:"casbCredentialDays" doc:"an integration whose credential ends within so many days warns"`
}

// Default returns the documented defaults.
func Default() Policy {
	return Policy{
		TokenFailDays: 14, TokenWarnDays: 30, TokenUnusedDays: 90, TokenAgeWarnDays: 300, TokenAgeFailDays: 365, TokenWriteGroups: 5,
		ServiceTokenWarnDays: 30, ServiceTokenAgeDays: 365, ServiceTokenHours: 8760,
		AdminLimit: 3, AdminPercent: 25, SuperAdminMin: 2, SuperAdminMax: 4, InviteDays: 14,
		SessionHours: 24, ShellSessionHours: 12,
		OriginCertDays: 30, ManagedCertDays: 14, ManagedCertWarnDays: 21, UploadedCertDays: 30, UploadedCertWarnDays: 45,
		ClientCertDays: 30, ClientCertWarnDays: 60, HostnameCertDays: 14,
		DomainFailDays: 30, DomainWarnDays: 90, PendingDays: 7,
		UnderAttackHours: 72, LogOnlyDays: 30, ChallengeMin: 900, ChallengeMax: 2700, ChallengeFail: 86400, ScriptSeenDays: 30,
		InsightCriticalDays: 7, InsightModerateDays: 30, InsightAdviceDays: 90, SilenceWarnHours: 72, SilenceFailDays: 30,
		LockDays: 30, TunnelIdleDays: 30, ConnectorWarnMonths: 6, ConnectorFailMonths: 12, KeyAgeDays: 365,
		CASBMediumDays: 90, CASBCredentialDays: 14,
	}
}

// Parse applies the fields of a JSON object to the defaults; empty input, null and {} give the
// defaults. Unknown fields, numbers that are not positive, and warnings that would come after
// failures are errors that name the field.
func Parse(overrides []byte) (Policy, error) {
	p := Default()
	if len(bytes.TrimSpace(overrides)) == 0 {
		return p, nil
	}
	dec := json.NewDecoder(bytes.NewReader(overrides))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return Default(), fmt.Errorf("the policy is not an object of known thresholds: %w", posture.Misfit(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Default(), errors.New("the policy has something after its object")
	}
	if err := p.check(); err != nil {
		return Default(), err
	}
	return p, nil
}

const (
	longestTerm = 1_000_000 // hours: more than a century is never meant
	// longestPassage is what Cloudflare accepts as challenge_ttl, in seconds: a year.
	longestPassage = 31_536_000
	// longestDays fit into a time.Duration, which ends after 106,751 days. Who allows more means never.
	longestDays = 100_000
)

// bound checks the range of every number and shortens days to longestDays.
func (p *Policy) bound() error {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		f, name, most := v.Field(i), v.Type().Field(i).Tag.Get("json"), int64(longestTerm)
		if !f.CanInt() {
			continue
		}
		if strings.HasPrefix(name, "challenge") {
			most = longestPassage
		}
		if f.Int() < 1 || f.Int() > most {
			return fmt.Errorf("%s is %d; use a whole number from 1 to %d", name, f.Int(), most)
		}
		if strings.HasSuffix(name, "Days") {
			f.SetInt(min(f.Int(), longestDays))
		}
	}
	return nil
}

func (p *Policy) check() error {
	if err := p.bound(); err != nil {
		return err
	}
	for _, order := range []struct {
		low, high   int
		first, last string
	}{
		{p.TokenFailDays, p.TokenWarnDays, "tokenFailDays", "tokenWarnDays"}, {p.TokenAgeWarnDays, p.TokenAgeFailDays, "tokenAgeWarnDays",
			"tokenAgeFailDays"},
		{p.SuperAdminMin, p.SuperAdminMax, "superAdminMin", "superAdminMax"}, {p.ManagedCertDays, p.ManagedCertWarnDays, "managedCertDays",
			"managedCertWarnDays"},
		{p.UploadedCertDays, p.UploadedCertWarnDays, "uploadedCertDays", "uploadedCertWarnDays"}, {p.ClientCertDays, p.ClientCertWarnDays,
			"clientCertDays", "clientCertWarnDays"},
		{p.DomainFailDays, p.DomainWarnDays, "domainFailDays", "domainWarnDays"}, {p.ChallengeMin, p.ChallengeMax, "challengeMin",
			"challengeMax"},
		{p.ChallengeMax, p.ChallengeFail, "challengeMax", "challengeFail"}, {p.ConnectorWarnMonths, p.ConnectorFailMonths, "connectorWarnMonths",
			"connectorFailMonths"},
	} {
		if order.low > order.high {
			return fmt.Errorf("%s is %d and %s is %d; the first must not be the larger", order.first, order.low, order.last, order.high)
		}
	}
	if p.AdminPercent > 100 {
		return fmt.Errorf("adminPercent is %d; use a whole number from 1 to 100", p.AdminPercent)
	}
	switch p.AppsServe {
	case "", "internal", "public":
		return nil
	default:
		return fmt.Errorf("appsServe is %q; use internal, public, or leave it out", p.AppsServe)
	}
}

// Filled returns the policy with nil lists replaced by empty ones.
func (p Policy) Filled() Policy {
	v := reflect.ValueOf(&p).Elem()
	for _, f := range v.Fields() {
		if f.Kind() == reflect.Slice && f.IsNil() {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
	return p
}
