package simcloud

// deliveryAccount is the account state of the products that deliver and shape traffic.
type deliveryAccount struct {
	widgets         []obj
	pools, monitors []obj
	accessCerts     []obj
	authorities     []obj
	balancers       map[int][]obj // added by plants, by zone
}

// deliveryZone is the zone state of the same products.
type deliveryZone struct {
	devMode     int // seconds left of development mode
	securityTxt obj // nil if the file was never set up
	shield      pageShield
	zaraz       obj
	zarazAtOnce bool // each change is published immediately
	snippets    []snippet
	shielded    apiShield
	spectrum    []obj
	hostnames   []obj // custom hostnames
	fallback    obj
	mutual      mutualTLS

	balancers, healthChecks []obj
}

// makeDelivery generates a good configuration.
func (a *account) makeDelivery() {
	a.makeTurnstile()
	a.makeBalancing()
	a.makeAuthorities()
}

// makeDelivery generates a good configuration.
func (z *zone) makeDelivery() {
	z.makeSecurityTxt()
	z.makePageShield()
	z.makeZaraz()
	z.makeSnippets()
	z.makeAPIShield()
	z.makeBalancers()
	z.makeSpectrum()
	z.makeCustomHostnames()
	z.makeMutualTLS()
}

// deliveryCanaries returns values no client may store.
func deliveryCanaries() []string {
	return []string{canaryTxtContact, canaryPageQuery, canarySiteKey, canaryWidgetKey, canaryZarazDebug, canaryZarazValue, canaryZarazConfig,
		canarySnippet, canarySchemaSource, canaryProbe, canaryPoolMail, canaryOwnership, canaryCustomKey, canaryPrivateKey, canaryClientName}
}
