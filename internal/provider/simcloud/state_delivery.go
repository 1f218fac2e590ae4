package simcloud

// deliveryAccount is what an account holds of what serves and shapes traffic.
type deliveryAccount struct {
	widgets         []obj
	pools, monitors []obj
	accessCerts     []obj
	authorities     []obj
	balancers       map[int][]obj // of plants, by zone
}

// deliveryZone is what a zone holds of them.
type deliveryZone struct {
	devMode     int // seconds left of development mode
	securityTxt obj // nil: the file was never set up
	shield      pageShield
	zaraz       obj
	zarazAtOnce bool // each change is published at once
	snippets    []snippet
	shielded    apiShield
	spectrum    []obj
	hostnames   []obj // of customers
	fallback    obj
	mutual      mutualTLS

	balancers, healthChecks []obj
}

// makeDelivery fills in a good configuration.
func (a *account) makeDelivery() {
	a.makeTurnstile()
	a.makeBalancing()
	a.makeAuthorities()
}

// makeDelivery fills in a good configuration.
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

// deliveryCanaries are values no client may keep.
func deliveryCanaries() []string {
	return []string{canaryTxtContact, canaryPageQuery, canarySiteKey, canaryWidgetKey, canaryZarazDebug, canaryZarazValue, canaryZarazConfig,
		canarySnippet, canarySchemaSource, canaryProbe, canaryPoolMail, canaryOwnership, canaryCustomKey, canaryPrivateKey, canaryClientName}
}
