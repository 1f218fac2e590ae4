package simcloud

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

func plantsWorkloads() []Plant {
	var out []Plant
	// A script with a route is reachable from the internet; one without only runs on a schedule.
	variable := func(variant, result, name, value string, routed bool) Plant {
		return Plant{CheckID: "CFL-WORK-003", Variant: variant, Result: result, ResourceType: "worker",
			Apply: func(s *Scene) []Planted {
				w := s.account.addWorker("legacy-" + variant)
				w.bindings = []obj{{"name": "SIGNING", "type": "secret_text"}, {"name": name, "type": "plain_text", "text": value}}
				if routed {
					s.account.addWorkerRoute(w.name, "legacy-"+variant)
				}
				return one("CFL-WORK-003", "worker", w.name, result)
			}}
	}
	for _, secret := range plantedSecrets() {
		out = append(out, variable(secret.kind, failed, secret.name, secret.value, true))
	}
	dense := entropySecret()
	out = append(out, variable(dense.kind, failed, dense.name, dense.value, false), variable("placeholder", warning, "API_TOKEN", "changeme",
		true), jsonSecret(), calledSecret(), bucketPlant("public", defaultJurisdiction), bucketPlant("public-eu", "eu"), twinPlant())
	return out
}

// jsonSecret hides a credential inside a json binding.
func jsonSecret() Plant {
	return Plant{CheckID: "CFL-WORK-003", Variant: "json", Result: failed, ResourceType: "worker",
		Apply: func(s *Scene) []Planted {
			w := s.account.addWorker("legacy-json")
			w.bindings = []obj{{"name": "CONFIG", "type": "json", "json": obj{"upload": plantedSecrets()[0].value}}}
			return one("CFL-WORK-003", "worker", w.name, failed)
		}}
}

// calledSecret puts a credential into a script that only another script calls.
func calledSecret() Plant {
	return Plant{CheckID: "CFL-WORK-003", Variant: "called", Result: failed, ResourceType: "worker",
		Apply: func(s *Scene) []Planted {
			w, front := s.account.addWorker("legacy-called"), s.account.addWorker("legacy-front")
			w.bindings = []obj{{"name": plantedSecrets()[0].name, "type": "plain_text", "text": plantedSecrets()[0].value}}
			front.bindings = []obj{{"name": "BACK", "type": "service", "service": w.name, "environment": "production"}}
			s.account.addWorkerRoute(front.name, "legacy-front")
			return one("CFL-WORK-003", "worker", w.name, failed)
		}}
}

func bucketPlant(variant, jurisdiction string) Plant {
	return Plant{CheckID: "CFL-R2-004", Variant: variant, Result: failed, ResourceType: "r2_bucket",
		fits: func(a *account) bool { return a.r2Enabled },
		Apply: func(s *Scene) []Planted {
			b := s.account.addBucket("export-"+variant, jurisdiction)
			b.public = true
			return one("CFL-R2-004", "r2_bucket", b.name, failed)
		}}
}

// twinPlant publishes the second of two buckets of one name.
func twinPlant() Plant {
	return Plant{CheckID: "CFL-R2-004", Variant: "twin", Result: failed, ResourceType: "r2_bucket",
		fits: func(a *account) bool { return a.r2Enabled },
		Apply: func(s *Scene) []Planted {
			b := s.account.addBucket("export-twin", defaultJurisdiction)
			b = s.account.addBucket(b.name, "us")
			b.public = true
			return one("CFL-R2-004", "r2_bucket", snapshot.BucketID(b.jurisdiction, b.name), failed)
		}}
}
