// Package config reads the environment and is the only package that does. The error for a bad value
// is one line that names the variable, what is wrong with it and what to use instead.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/oidc"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// Config is the configuration of one process.
type Config struct {
	Host string `env:"HOST" envDefault:"127.0.0.1"`
	Port int    `env:"PORT"` // 0 chooses a free port

	PublicURL         string      `env:"SERVICE_PUBLIC_URL"`      // the service's address for browsers
	TrustedProxies    string      `env:"SERVICE_TRUSTED_PROXIES"` // networks whose X-Forwarded-For is believed
	APIKeys           secret.Text `env:"SERVICE_API_KEY"`         // two keys during rotation, separated by a comma
	AllowRemediation  string      `env:"SERVICE_ALLOW_REMEDIATION"`
	Approvals         string      `env:"SERVICE_REMEDIATION_APPROVALS"` // approvals that a plan needs: 0 or 1
	EditScope         secret.Text `env:"SERVICE_EDIT_SCOPE"`
	EditScopeHMAC     secret.Text `env:"SERVICE_EDIT_SCOPE_JWT_SECRET"`
	EditScopeJWKS     string      `env:"SERVICE_EDIT_SCOPE_JWKS"` // a file or an https address
	EditScopeIssuer   string      `env:"SERVICE_EDIT_SCOPE_JWT_ISSUER"`
	EditScopeAudience string      `env:"SERVICE_EDIT_SCOPE_JWT_AUDIENCE"`
	// EditScopeLifetime is the longest lifetime of a JWT that is accepted.
	EditScopeLifetime time.Duration `env:"SERVICE_EDIT_SCOPE_JWT_LIFETIME" envDefault:"1h"`

	Token          secret.Text   `env:"CLOUDFLARE_API_TOKEN"`
	AccountID      string        `env:"CLOUDFLARE_ACCOUNT_ID"` // which account of the token is meant
	BaseURL        string        `env:"CLOUDFLARE_BASE_URL" envDefault:"https://api.cloudflare.com/client/v4"`
	RequestsPer5M  int           `env:"CLOUDFLARE_REQUESTS_PER_5M" envDefault:"1200"`
	DataDir        string        `env:"DATA_DIR" envDefault:"./data"`
	DatabaseURL    secret.Text   `env:"DATABASE_URL"`
	RedisURL       secret.Text   `env:"REDIS_URL"`
	EncryptionKey  secret.Text   `env:"SERVICE_ENCRYPTION_KEY"`
	Concurrency    int           `env:"SERVICE_WORKER_CONCURRENCY" envDefault:"8"`
	DNSResolver    string        `env:"SERVICE_DNS_RESOLVER"`   // host:port; "" is the system's, off is none
	OutboundAllow  string        `env:"SERVICE_OUTBOUND_ALLOW"` // non-public destinations
	LogLevel       string        `env:"SERVICE_LOG_LEVEL" envDefault:"info"`
	LogFormat      string        `env:"SERVICE_LOG_FORMAT"` // "" is text on a terminal, else json
	MetricsAddr    string        `env:"METRICS_ADDR"`       // host:port; "" serves no metrics
	MetricsTrusted string        `env:"METRICS_TRUSTED"`    // true: no key is required
	SignIn         []oidc.Config // SERVICE_OIDC_<NAME>_...
	Retention      Retention
	Limits         Limits
	RequestTimeout time.Duration

	// Traces are configured by the standard OpenTelemetry variables, and off while no endpoint is set.
	OTLPEndpoint          string      `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	OTLPTracesEndpoint    string      `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"`
	OTLPHeaders           secret.Text `env:"OTEL_EXPORTER_OTLP_HEADERS"`
	OTLPTracesHeaders     secret.Text `env:"OTEL_EXPORTER_OTLP_TRACES_HEADERS"`
	OTLPProtocol          string      `env:"OTEL_EXPORTER_OTLP_PROTOCOL"`
	OTLPTracesProtocol    string      `env:"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"`
	OTLPTimeout           string      `env:"OTEL_EXPORTER_OTLP_TIMEOUT"` // milliseconds
	OTLPTracesTimeout     string      `env:"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"`
	OTLPCertificate       string      `env:"OTEL_EXPORTER_OTLP_CERTIFICATE"`
	OTLPTracesCertificate string      `env:"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE"`
	OTELExporter          string      `env:"OTEL_TRACES_EXPORTER"`
	OTELSampler           string      `env:"OTEL_TRACES_SAMPLER"`
	OTELSamplerArg        string      `env:"OTEL_TRACES_SAMPLER_ARG"`
	OTELService           string      `env:"OTEL_SERVICE_NAME"`
	OTELResource          string      `env:"OTEL_RESOURCE_ATTRIBUTES"`
	OTELDisabled          string      `env:"OTEL_SDK_DISABLED"`

	// Settings are the validated defaults of the settings overlay.
	Settings setting.Environment
}

// Embedded reports whether the store, the queue and the worker run in this process.
func (c Config) Embedded() bool { return c.DatabaseURL.IsZero() && c.RedisURL.IsZero() }

// Load reads the variables of environ, which has the form of os.Environ. After an error, the Config
// may still hold the log format to report the error in.
func Load(environ []string) (Config, error) {
	vars := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok && v != "" {
			vars[k] = v
		}
	}
	var c Config
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		return c, environmentError(err) // what could be read may include the log format
	}
	c.RequestTimeout = 30 * time.Second
	if token := strings.TrimSpace(c.Token.Reveal()); token != "" || c.Token.IsZero() {
		c.Token = secret.New(token) // secret files end with a line break
	} else {
		return c, errors.New("CLOUDFLARE_API_TOKEN holds blanks and no token; set it to a token, or leave it unset for the demo account")
	}
	if !c.Token.IsToken() {
		return c, errors.New("CLOUDFLARE_API_TOKEN has a character that no token has, such as a blank; copy the token again")
	}
	if err := c.check(); err != nil {
		return c, err
	}
	var err error
	if c.SignIn, err = oidc.Configs(environ); err != nil {
		return c, err //nolint:wrapcheck // it names the variable
	}
	c.Settings, err = settingsOf(vars)
	return c, err
}

// environmentError turns the library's error into one line. It does not repeat the value, which may
// be a secret in the wrong variable.
func environmentError(err error) error {
	var agg env.AggregateError
	if errors.As(err, &agg) && len(agg.Errors) > 0 {
		err = agg.Errors[0]
	}
	if parse, ok := errors.AsType[env.ParseError](err); ok {
		name := map[string]string{"Port": "PORT", "RequestsPer5M": "CLOUDFLARE_REQUESTS_PER_5M",
			"Concurrency": "SERVICE_WORKER_CONCURRENCY"}[parse.Name]
		if name == "" {
			name = parse.Name
		}
		if name == "EditScopeLifetime" {
			return errors.New("SERVICE_EDIT_SCOPE_JWT_LIFETIME is not a duration; use for example 30m or 1h")
		}
		return fmt.Errorf("%s is not a whole number; set it to digits, or leave it unset", name)
	}
	return fmt.Errorf("the environment cannot be read: %w", err)
}

// either refuses a switch that is neither true nor false: one that is mistyped must not be off without a word.
func either(name, value string) error {
	if value != "" && value != "true" && value != "false" {
		return fmt.Errorf("%s is neither true nor false; use true or false, in small letters and without blanks, or leave it unset", name)
	}
	return nil
}

func (c Config) check() error {
	for _, rule := range []func(Config) error{checkBind, checkEditScope, checkProvider, checkWorker, checkStores, checkResolver,
		checkOutbound, checkLog, checkMetrics, checkRetention, checkLimits, checkTraces} {
		if err := rule(c); err != nil {
			return err
		}
	}
	return nil
}

func checkBind(c Config) error {
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("PORT is %d, which is no port; use 1 to 65535, or leave it unset for a free one", c.Port)
	}
	if !c.APIKeys.IsZero() && len(c.Keys()) == 0 {
		return errors.New("SERVICE_API_KEY is set but holds no key, only commas or spaces; set a random key, or unset it")
	}
	if !Loopback(c.Host) && len(c.Keys()) == 0 {
		return fmt.Errorf("HOST is %s, which others can reach, and SERVICE_API_KEY is unset; set SERVICE_API_KEY, or bind to 127.0.0.1", c.Host)
	}
	if u, err := url.Parse(c.PublicURL); c.PublicURL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil) {
		return errors.New("SERVICE_PUBLIC_URL is not the address of the service, such as https://edgeposture.example.com; it takes no path")
	}
	if _, err := c.Proxies(); err != nil {
		return err
	}
	for _, k := range c.Keys() {
		if len(k.Reveal()) < 16 {
			return errors.New("SERVICE_API_KEY has a key of fewer than 16 characters; use at least 16 random ones")
		}
		if why := secret.Guessable(k.Reveal()); why != "" {
			return fmt.Errorf("SERVICE_API_KEY has a key that %s, so others can guess it; use a random one, for example from: openssl rand -hex 32",
				why)
		}
	}
	return nil
}

// checkEditScope validates the switch and the number of approvals, and requires the edit secrets to be as strong
// as 32 random bytes.
func checkEditScope(c Config) error {
	if err := either("SERVICE_ALLOW_REMEDIATION", c.AllowRemediation); err != nil {
		return err
	}
	if c.Approvals != "" && c.Approvals != "0" && c.Approvals != "1" {
		return errors.New("SERVICE_REMEDIATION_APPROVALS is neither 0 nor 1; use 1 when somebody else must approve a plan before it is applied")
	}
	for _, v := range []struct {
		name  string
		value secret.Text
	}{{"SERVICE_EDIT_SCOPE", c.EditScope}, {"SERVICE_EDIT_SCOPE_JWT_SECRET", c.EditScopeHMAC}} {
		if v.value.IsZero() || v.name == "SERVICE_EDIT_SCOPE_JWT_SECRET" && strings.HasPrefix(strings.TrimSpace(v.value.Reveal()), "-----BEGIN") {
			continue // the gate reports a public key given as a secret
		}
		if why := secret.Weakness(v.value.Reveal(), 32); why != "" {
			return fmt.Errorf("%s %s; use 32 random bytes, for example from: openssl rand -hex 32", v.name, why)
		}
	}
	if c.EditScopeLifetime < time.Minute || c.EditScopeLifetime > 24*time.Hour {
		return fmt.Errorf("SERVICE_EDIT_SCOPE_JWT_LIFETIME is %s; use 1m to 24h", c.EditScopeLifetime)
	}
	return nil
}

var accountIDForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

func checkProvider(c Config) error {
	if c.AccountID != "" && !accountIDForm.MatchString(c.AccountID) {
		return errors.New("CLOUDFLARE_ACCOUNT_ID is no id of an account; use the 32 characters (0-9, a-f) that follow dash.cloudflare.com/")
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" {
		return errors.New("CLOUDFLARE_BASE_URL is not a plain http or https address; use for example https://api.cloudflare.com/client/v4")
	}
	if u.Scheme == "http" && !Loopback(u.Hostname()) {
		return errors.New("CLOUDFLARE_BASE_URL uses http to another machine, which would show the token to the network; use https")
	}
	if c.RequestsPer5M < 1 || c.RequestsPer5M > 1_000_000 {
		return fmt.Errorf("CLOUDFLARE_REQUESTS_PER_5M is %d; use 1 to 1000000 (Cloudflare allows 1200)", c.RequestsPer5M)
	}
	return nil
}

func checkWorker(c Config) error {
	if c.Concurrency < 1 || c.Concurrency > 256 {
		return fmt.Errorf("SERVICE_WORKER_CONCURRENCY is %d; use 1 to 256", c.Concurrency)
	}
	if !c.EncryptionKey.IsZero() {
		if _, err := secret.ParseKey(c.EncryptionKey.Reveal()); err != nil {
			return fmt.Errorf("SERVICE_ENCRYPTION_KEY is not usable (%w); use 32 random bytes in base64, for example from: openssl rand -base64 32",
				err)
		}
	}
	return nil
}

func checkStores(c Config) error {
	if c.DatabaseURL.IsZero() != c.RedisURL.IsZero() {
		return errors.New("DATABASE_URL and REDIS_URL go together: set both for several processes, or neither for one")
	}
	if !c.DatabaseURL.IsZero() {
		if u, err := url.Parse(c.DatabaseURL.Reveal()); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			return errors.New("DATABASE_URL is not a postgres:// address; use postgres://user:password@host:5432/database")
		}
		if c.EncryptionKey.IsZero() {
			return errors.New("SERVICE_ENCRYPTION_KEY is unset, and processes that share a database must share it; set the same 32 bytes in " +
				"base64 everywhere")
		}
	}
	if !c.RedisURL.IsZero() {
		if err := CheckRedis(c.RedisURL.Reveal()); err != nil {
			return err
		}
	}
	return nil
}

func checkResolver(c Config) error {
	if c.DNSResolver == "" || c.DNSResolver == NoResolver {
		return nil
	}
	if host, port, err := net.SplitHostPort(c.DNSResolver); err != nil || host == "" || !isPort(port) {
		return errors.New("SERVICE_DNS_RESOLVER is not host:port; use for example 9.9.9.9:53, off for none, or leave it unset for the system's")
	}
	return nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// NoResolver is the value of SERVICE_DNS_RESOLVER that disables look-ups.
const NoResolver = "off"

// CheckRedis validates a Redis address.
func CheckRedis(raw string) error {
	u, err := url.Parse(raw)
	if err == nil {
		switch u.Scheme {
		case "redis", "rediss", "redis-cluster", "rediss-cluster":
			if u.Host != "" {
				return nil
			}
		case "redis-sentinel": // options would be ignored
			if u.Host != "" && strings.Trim(u.Path, "/") != "" && u.RawQuery == "" {
				return nil
			}
		}
	}
	return errors.New("REDIS_URL is not understood; use redis://host:6379/0, rediss://…, redis-sentinel://host1,host2/master or " +
		"redis-cluster://host1,host2")
}

func checkLog(c Config) error {
	switch c.LogLevel {
	case "debug", "info", "warn", "error":
	default:
		return fmt.Errorf("SERVICE_LOG_LEVEL is %q; use debug, info, warn or error", c.LogLevel)
	}
	switch c.LogFormat {
	case "", "text", "json":
		return nil
	default:
		return fmt.Errorf("SERVICE_LOG_FORMAT is %q; use text or json", c.LogFormat)
	}
}

// Secrets returns every secret of the process, which its log must not contain.
func (c Config) Secrets() []secret.Text {
	out := append(c.Keys(), c.EditScope, c.EditScopeHMAC, c.Token, c.DatabaseURL, c.RedisURL, c.EncryptionKey, c.OTLPHeaders,
		c.OTLPTracesHeaders)
	for _, p := range c.SignIn {
		out = append(out, p.ClientSecret)
	}
	for _, list := range []secret.Text{c.OTLPHeaders, c.OTLPTracesHeaders} {
		values, _ := headers(list) // validated by checkTraces
		for _, v := range values {
			out = append(out, v)
		}
	}
	for _, d := range setting.Definitions() {
		if v, set := c.Settings[d.Key]; set && d.Secret {
			out = append(out, v)
		}
	}
	return out
}

// Proxies returns the networks of the proxies in front of the service.
func (c Config) Proxies() (out []netip.Prefix, err error) {
	for word := range strings.FieldsFuncSeq(c.TrustedProxies, func(r rune) bool { return r == ',' || r == ' ' }) {
		network, err := netip.ParsePrefix(word)
		if one, alone := netip.ParseAddr(word); alone == nil {
			network, err = netip.PrefixFrom(one, one.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("SERVICE_TRUSTED_PROXIES has %q, which is no network; use addresses such as 10.0.0.0/8, parted by commas",
				posture.Clip(word, 80))
		}
		out = append(out, network.Masked())
	}
	return out, nil
}

// Keys returns the API keys in force.
func (c Config) Keys() []secret.Text {
	var out []secret.Text
	for k := range strings.SplitSeq(c.APIKeys.Reveal(), ",") {
		if k = strings.TrimSpace(k); k != "" {
			out = append(out, secret.New(k))
		}
	}
	return out
}

// Remediation reports whether apply and rollback are enabled, which takes the exact word true.
func (c Config) Remediation() bool { return c.AllowRemediation == "true" }

// ByTwo reports whether somebody else must approve a plan before it is applied.
func (c Config) ByTwo() bool { return c.Approvals == "1" }

// Loopback reports whether a host name means this machine only.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}
