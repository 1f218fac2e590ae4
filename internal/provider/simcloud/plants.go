package simcloud

import "slices"

const (
	failed  = "FAIL"
	warning = "WARNING"
)

// Scene is where a plant is applied: an account, or one zone of it.
type Scene struct {
	account *account
	zone    *zone
}

// Plant is one way to misconfigure an account. It connects the clean generator to the truth: a new
// bad case is one more entry.
type Plant struct {
	// CheckID and Variant name the plant; Result and ResourceType are those the check reports for it.
	CheckID, Variant, Result, ResourceType string
	// Zonal plants change one zone, the others the account.
	Zonal bool
	// Plans limits zonal plants to zones of these plans and account plants to
	// accounts whose best plan is one of them; nil means any.
	Plans []string
	// Apply changes the scene and returns every resulting covered finding, including those of other checks.
	Apply func(*Scene) []Planted

	// slots name the state a plant changes. Two plants that share a slot are never applied to the
	// same account or zone.
	slots []string
	// alone marks a plant that hides the findings of other plants in its zone, so that it is applied
	// to a zone without any.
	alone bool
	// fits reports whether the account can hold the plant; nil means always.
	fits func(*account) bool
}

// Plants returns the table of all plants in a fixed order.
func Plants() []Plant {
	return slices.Concat(plantsDNS(), plantsEmail(), plantsTLS(), plantsWAF(), plantsBots(), plantsPeople(),
		plantsAccess(), plantsWorkloads(), plantsLogs(), plantsAlerts(),
		plantsZtna(), plantsFirewall(), plantsDelivery(), plantsPlatform(), plantsName(), plantsCertificates(), plantsMail())
}

// Covered returns the sorted ids of the checks that the truth covers. Findings of other checks are
// neither planted nor ruled out.
func Covered() []string {
	// The first two depend on the token of a run, the third on AccountSpec.Pending.
	ids := []string{"CFL-TOK-001", "CFL-TOK-006", "CFL-ZONE-003"}
	for _, p := range Plants() {
		ids = append(ids, p.CheckID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (p Plant) allSlots() []string {
	if len(p.slots) == 0 {
		return []string{p.CheckID + "/" + p.Variant}
	}
	return p.slots
}

// suits reports whether a plant can be applied on a plan.
func (p Plant) suits(a *account, plan string) bool {
	return (len(p.Plans) == 0 || slices.Contains(p.Plans, plan)) && (p.fits == nil || p.fits(a))
}

// claim reserves the slots of a plant, or none if one is taken.
func claim(taken map[string]bool, prefix string, slots []string) bool {
	for _, s := range slots {
		if taken[prefix+s] {
			return false
		}
	}
	for _, s := range slots {
		taken[prefix+s] = true
	}
	return true
}

// plantAccount applies account plants and stores those of zones, which are applied when the zone is built.
func (a *account) plantAccount() {
	if a.spec.Clean {
		return
	}
	table := Plants()
	for _, rule := range a.spec.Plants {
		for _, p := range table {
			if p.CheckID == rule.CheckID && (rule.Variant == "" || rule.Variant == p.Variant) {
				a.plantRule(p, rule)
				break
			}
		}
	}
	if a.spec.Plant <= 0 {
		return
	}
	a.scatter(table, -1)
	for i := range a.zoneCount {
		a.scatter(table, i)
	}
}

func (a *account) plantRule(p Plant, rule PlantRule) {
	switch {
	case !p.Zonal:
		a.tryAccount(p)
	case len(rule.Zones) > 0:
		for _, i := range rule.Zones {
			a.tryZone(p, i)
		}
	default:
		for i := range a.zoneCount {
			if a.tryZone(p, i) {
				return
			}
		}
	}
}

// scatter applies a random share of the table to one zone, or to the account if zone is -1. The
// table is shuffled first, so that plants of one slot take turns.
func (a *account) scatter(table []Plant, zone int) {
	s := newStream(a.seed, "scatter", num(zone))
	mixed := slices.Clone(table)
	for i := len(mixed) - 1; i > 0; i-- {
		j := s.below(i + 1)
		mixed[i], mixed[j] = mixed[j], mixed[i]
	}
	for _, p := range mixed {
		if p.Zonal != (zone >= 0) || s.share() >= a.spec.Plant {
			continue
		}
		if p.Zonal {
			a.tryZone(p, zone)
		} else {
			a.tryAccount(p)
		}
	}
}

func (a *account) tryAccount(p Plant) bool {
	if a.zoneCount == 0 || !p.suits(a, a.bestPlan()) || !claim(a.taken, "", p.allSlots()) {
		return false
	}
	a.planted = append(a.planted, p.Apply(&Scene{account: a})...)
	return true
}

func (a *account) tryZone(p Plant, i int) bool {
	if i < 0 || i >= a.zoneCount || a.pending(i) || !p.suits(a, a.zonePlan(i)) {
		return false
	}
	if there := a.assigned[i]; p.alone && len(there) > 0 || slices.ContainsFunc(there, func(p Plant) bool { return p.alone }) {
		return false
	}
	if !claim(a.taken, num(i)+"#", p.allSlots()) {
		return false
	}
	a.assigned[i] = append(a.assigned[i], p)
	return true
}

// consistent corrects the findings of plants that interact within one zone.
func (z *zone) consistent(found []Planted) []Planted {
	strict := z.value("ssl") == "strict" || z.value("ssl") == "origin_pull"
	var out []Planted
	if byRules := z.modeTruth(); byRules != nil {
		found = append(slices.DeleteFunc(found, func(f Planted) bool { return f.CheckID == "CFL-SSL-001" }), byRules...)
	}
	if result := z.pullTruth(found); result != "" {
		found = append(slices.DeleteFunc(found, func(f Planted) bool { return f.CheckID == "CFL-MTLS-004" }),
			one("CFL-MTLS-004", "zone", z.id, result)...)
	}
	for _, f := range found {
		if f.CheckID == "CFL-ORIGCERT-001" && !strict {
			f.Result = warning // only strict modes depend on the certificate
		}
		out = append(out, f)
	}
	return z.settleDelivery(out)
}

// pullTruth returns what CFL-MTLS-004 finds where the edge connects to origins without TLS, "" where
// nothing changes by that.
func (z *zone) pullTruth(found []Planted) string {
	clear := func(mode string) bool { return mode == "off" || mode == "flexible" }
	ruled, all := z.ruledModes(), clear(asText(z.value("ssl")))
	some := all || slices.ContainsFunc(ruled, clear)
	all = all && !slices.ContainsFunc(ruled, func(mode string) bool { return !clear(mode) })
	switch {
	case !some || z.status != "active":
		return ""
	case all || slices.ContainsFunc(found, func(f Planted) bool { return f.CheckID == "CFL-MTLS-004" && f.Result == failed }):
		return failed
	}
	return warning
}

// ruledModes lists the TLS modes that rules set.
func (z *zone) ruledModes() (out []string) {
	for _, r := range z.rulesOf(phaseConfig) {
		params, _ := r["action_parameters"].(obj)
		if mode := asText(params["ssl"]); mode != "" {
			out = append(out, mode)
		}
	}
	if len(out) > 0 {
		return out // the rule matches the paths of the page rule and is applied after it
	}
	for _, r := range z.pageRules {
		for _, a := range r["actions"].([]obj) {
			if a["id"] == "ssl" {
				out = append(out, asText(a["value"]))
			}
		}
	}
	return out
}

// modeTruth returns the findings about the TLS mode where rules change it.
func (z *zone) modeTruth() []Planted {
	worst := ""
	take := func(mode string) {
		if mode == "off" || mode == "flexible" || mode == "full" && worst == "" {
			worst = mode
		}
	}
	for _, mode := range z.ruledModes() {
		take(mode)
	}
	if worst == "" || z.status != "active" {
		return nil
	}
	take(asText(z.value("ssl")))
	if worst == "full" {
		return one("CFL-SSL-001", "zone", z.id, warning)
	}
	return one("CFL-SSL-001", "zone", z.id, failed)
}

// The constructors below shorten the tables.

func one(check, kind, id, result string) []Planted {
	return []Planted{{check, kind, id, result}}
}

// zonal returns a plant whose finding is the zone itself.
func zonal(check, variant, result, slot string, change func(*zone)) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "zone", Zonal: true, slots: []string{slot},
		Apply: func(s *Scene) []Planted {
			change(s.zone)
			return one(check, "zone", s.zone.id, result)
		}}
}

// accountWide returns a plant whose finding is the account itself.
func accountWide(check, variant, result, slot string, change func(*account)) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "account", slots: []string{slot},
		Apply: func(s *Scene) []Planted {
			change(s.account)
			return one(check, "account", s.account.id, result)
		}}
}

func (p Plant) on(plans ...string) Plant {
	p.Plans = plans
	return p
}

func (p Plant) when(fits func(*account) bool) Plant {
	p.fits = fits
	return p
}
