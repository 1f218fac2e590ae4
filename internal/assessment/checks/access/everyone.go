package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// everyone finds applications whose policies admit any visitor.
func everyone() check.Check {
	return check.Check{
		ID: "CFL-ZT-007", Title: "No Access application lets everyone in",
		Category: "access", Severity: posture.Critical, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "An Access policy lets in whoever its Include names. With Everyone in it, the login page keeps nobody " +
			"out, and a Bypass asks for no login at all.",
		Fix: "Replace Everyone by a group of your identity provider or your mail domain, then remove the policy that " +
			"was open.",
		Words: posture.Words{
			Problem: "Everyone who can sign in may open {name}",
			Impact:  "Anyone with an account at one of the login methods opens the application, employees or not.",
			Breaks: "People outside the chosen mail domain lose access, and so does automation that passed by another policy " +
				"of the application.",
			Dashboard: inApplications + ` › {name} › Policies: edit the open policy and replace Everyone in Include by a group or a mail domain.`,
			Call: appCall(`.policies = [{name: "Staff", decision: "allow", precedence: 1, `+
				`include: [{email_domain: {domain: "{$MAIL_DOMAIN}"}}]}]`, chooseMailDomain),
			Terraform: `resource "cloudflare_zero_trust_access_application" "app" {
  account_id = "{account_id}"
  name       = "{name}"
  policies = [{
    name       = "Staff"
    decision   = "allow"
    precedence = 1
    include    = [{ email_domain = { domain = var.mail_domain } }]
  }]
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 6.1", "An application that lets everyone in has no access process at all; the process itself is not seen."),
			check.Supports("cis 3.3", "Data behind an application is closed to strangers."),
			check.Shows("soc2 CC6.1", "Access software restricts every application to named people, groups or services."),
			check.Supports("soc2 CC6.6", "The boundary has no door that is open to anybody."),
			check.Supports("pci 7.2.1", "No application is left outside the access model; whether the model fits jobs is for people to say."),
			check.Supports("pci 8.3.1", "Whoever enters has signed in with something; how strong it was is judged elsewhere."),
			check.Shows("nist PR.AA-05", "A policy other than everyone stands before each application."),
		},
		Aliases: []string{"cfsi:overprovisioned-access-policy", "flareinspect:CFL-ZT-007", "grclanker:CF-IAM-04"},
		Paths:   []string{"open-access-app"},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/access/policies/{policy_id}", Risk: "high", Reversible: true,
			Body: "the reusable policy as read with include replaced by the group the operator names; for app-owned policies the same through " +
				"PUT /accounts/{account_id}/access/apps/{app_id}/policies/{policy_id}",
			Inverse: "PUT the captured policy object",
			Caution: "People outside the group lose access at once. A reusable policy may serve several applications: all of them " +
				"change.",
			Inputs: []change.Input{{Name: "group", Example: `"4d1e7c52-0a6b-4c0f-9a51-6f0c9f1d2b3a"`,
				Description: "Id of the Access group whose members may pass from now on."}},
			Propose: proposeGroup},
		Needs:    []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.AccessOrg},
		Optional: []snapshot.Named{snapshot.AccessIDPs, snapshot.GatewayListItems, snapshot.DevicePosture},
		Unless:   notInUse,
		Evaluate: evaluateEveryone,
	}
}

func evaluateEveryone(v *check.View) check.Outcome {
	access, reusable := check.AccessWithLogins(v)
	guarded := []string{"self_hosted", "ssh", "vnc", "rdp", "infrastructure", "mcp", "mcp_portal", "app_launcher", "saas",
		"proxy_endpoint"}
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Type == "warp" || a.Link() {
			continue
		}
		worst, by := unmarked, admission.Way{}
		for _, w := range access.Ways(exposure.Attached(a, reusable), a.AllowedIDPs) {
			o := openness(w, markedPublic(v, a))
			if o > unsureDoor && !slices.Contains(guarded, a.Type) {
				o = halfOpen
			}
			if o > worst {
				worst, by = o, w
			}
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		policy, end := by.Policy.Name, "."
		if by.Client {
			end = ", provided that they run the WARP client, which is free."
		}
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", strings.TrimSpace(policy+" includes "+by.Rule.Kind+" "+by.Rule.Value),
			"only named groups, domains or addresses")
		if left := exposure.LeftPublic(a); left != "" && worst < unasked && !markedPublic(v, a) {
			leavesPublic(j, r, left)
			continue
		}
		switch worst {
		case unasked:
			j.Fail(r, "The policy "+policy+" lets anyone into the application "+a.Name+" without a login"+end, seen)
			impact := "Anyone on the internet uses the application; Access asks for nothing and records nobody."
			if by.Client {
				impact = "Anyone on the internet who starts the free WARP client uses the application; Access asks for no login."
			}
			j.As(ofApp(a, posture.Words{Problem: "Anyone can open {name} without a login", Impact: impact}))
		case unaskedInRange:
			j.Fail(r, "The policy "+policy+" lets anyone in the wide range "+by.Range+" into the application "+a.Name+" without a login"+end, seen)
			j.As(posture.Words{Problem: "A wide range of addresses opens {name} without a login", ByHand: true,
				Impact:    "Anyone who sends a request from the range, such as a customer of the same provider, uses the application.",
				Breaks:    "Clients in the rest of the range are refused.",
				Dashboard: inApplications + " › {name} › Policies: narrow the range, or name a service token."}).Rated(posture.High)
		case openToCompany:
			j.Fail(r, "The policy "+policy+" lets everyone of the company's identity provider into the application "+a.Name+end, seen)
			j.As(posture.Words{Problem: "Everyone in the company's directory may open {name}", ByHand: true,
				Call:   appCall(`.policies = [{name: "Staff", decision: "allow", precedence: 1, include: [{group: {id: "{$GROUP}"}}]}]`, chooseGroup),
				Impact: "Anyone with an account in the directory opens the application, such as a contractor or a guest.",
				Breaks: "People outside the chosen group lose access to the application at once."}).Rated(posture.Medium)
		case openToAnybody:
			j.Fail(r, "The policy "+policy+" lets anyone with a mailbox or a consumer account sign in to the application "+a.Name+end, seen)
			j.As(ofApp(a, posture.Words{Problem: "Anyone with a mailbox or consumer account can open {name}",
				Impact: "Anyone on the internet signs in with a one-time PIN or a free account and uses the application."}))
		case openToLogins:
			j.Fail(r, "The policy "+policy+" lets everyone who can sign in use the application "+a.Name+end, seen)
			j.As(ofApp(a, posture.Words{Problem: "Everyone who can sign in may open {name}"})).Provisional()
		case halfOpen:
			j.Warn(r, "The policy "+policy+" of the application "+a.Name+" includes everyone under a condition that names nobody.", seen)
			j.As(posture.Words{Problem: "A policy of {name} includes everyone", ByHand: true,
				Impact: "Anyone who meets the condition of the policy, such as a country or a device check, opens the application."})
			if by.Who == admission.Company {
				j.Rated(posture.Medium) // as without the condition
			}
			j.Provisional()
		case unsureDoor:
			j.Unknown(r, "a policy of the application names a group, a login, rules or a list of addresses that are not known")
		default:
			j.Pass()
		}
	}
	return j.Done("No application lets everyone in.", "no application exists besides device enrolment and links")
}

// leavesPublic judges an application that leaves every path of a destination public.
func leavesPublic(j *check.Judgement, r posture.Resource, left string) {
	j.Fail(r, "The application "+r.Name+" leaves every path of "+left+" public, so its policies ask nobody there.",
		check.Evidence(snapshot.AccessApps, "/"+r.ID+"/destinations", left+": all paths are public", "no public path, or the few that need it"))
	j.As(posture.Words{Problem: "{name} leaves all its paths public", ByHand: true,
		Impact:    "Anyone on the internet uses the application; Access asks for nothing and records nobody.",
		Breaks:    "Whoever uses the public paths has to sign in.",
		Dashboard: inApplications + " › {name} › Edit: remove the public path /* of the destination."})
}

// opening says how far a way opens an application, from least to worst.
type opening int

const (
	unmarked opening = iota
	unsureDoor
	halfOpen // with a requirement that anyone can meet
	openToCompany
	openToLogins
	openToAnybody
	unaskedInRange // without a login, for a wide range of addresses
	unasked        // without a login
)

// openness grades one way. Bypasses by address, by country or with a requirement are judged by
// CFL-ZT-026; mail domains, login methods and service tokens by CFL-ZT-011.
func openness(w admission.Way, public bool) opening {
	switch {
	case w.Policy.Decision == "bypass" && !forAll(w) && (w.Rule.Kind != "group" || !demandsNothing(w.Policy.Require)):
		return unmarked
	case w.Unsure, w.Listed && w.Unasked() && w.Who == admission.Anyone && !w.Factor:
		return unsureDoor
	case w.Policy.Decision == "bypass" && public:
		return halfOpen
	case w.Unasked() && w.Open():
		return unasked
	case w.Unasked() && w.Who == admission.Anyone && w.Place == exposure.Wide && !w.Factor:
		return unaskedInRange
	case w.Unasked() || w.Who < admission.Company || w.Who == admission.AnyToken || !tellsNobodyApart(w):
		return unmarked
	case w.Listed && w.Rule.Kind == "ip_list":
		return unsureDoor
	case w.Placed || w.Factor:
		return halfOpen
	case w.Who == admission.Company:
		return openToCompany
	case w.Who == admission.Anybody:
		return openToAnybody
	default:
		return openToLogins
	}
}

// forAll reports whether a bypass is for everyone, however that is spelled; CFL-ZT-007 judges it.
func forAll(w admission.Way) bool {
	return w.Rule.Kind == "everyone" && demandsNothing(w.Also) || w.Open() && !w.Placed && !w.Unsure
}

// tellsNobodyApart reports whether anyone who signs in can meet the rule of a way, or may do so: a wide
// range of addresses, or a posture check that any device passes, is as good as everyone.
func tellsNobodyApart(w admission.Way) bool {
	switch w.Rule.Kind {
	case "everyone", "geo", "auth_method", "user_risk_score":
		return true
	case "device_posture":
		return !w.Factor
	case "ip", "ip_list":
		return w.Place >= exposure.Wide || w.Listed
	}
	return false
}

// demandsNothing reports whether the requirements exclude nobody: requiring everyone requires
// nothing.
func demandsNothing(require []snapshot.AccessRule) bool {
	return !slices.ContainsFunc(require, func(r snapshot.AccessRule) bool { return r.Kind != "everyone" })
}
