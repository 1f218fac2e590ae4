package simcloud

const (
	permTurnstile   = "Account: Turnstile Read"
	canarySiteKey   = "0x4AAAleakcanary-sitekey"
	canaryWidgetKey = "leakcanary-widget-secret"
)

// makeTurnstile adds widgets for the first and the last zone, see
// https://developers.cloudflare.com/api/resources/turnstile/.
func (a *account) makeTurnstile() {
	a.addWidget("Login", a.zoneName(0), "login."+a.zoneName(0))
	a.addWidget("Contact", a.zoneName(max(a.zoneCount, 1)-1))
}

func (a *account) addWidget(name string, domains ...string) {
	cl := a.cloud
	a.widgets = append(a.widgets, obj{
		"sitekey": canarySiteKey + a.next("widget").hex32()[:6], "secret": canaryWidgetKey, "name": name,
		"domains": append([]string{}, domains...),
		"mode":    "managed", "region": "world", "bot_fight_mode": false, "offlabel": false, "clearance_level": "no_clearance",
		"ephemeral_id": false,
		"created_on":   cl.ago(200 * day), "modified_on": cl.ago(50 * day),
	})
}

func listWidgets(c *call) answer { return listOf(c, c.acct.widgets) }
