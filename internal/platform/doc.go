// Package platform holds what a service needs whatever it is about: its settings and limits,
// metrics, traces and logs without secrets, the guarded HTTP client for everything that is not the
// provider, schedules, who a person is that signs in, and the gate that decides who may write.
//
// In: the environment, the settings file, names of hosts, edit secrets and JWTs, answers of OpenID Connect providers and of
// authenticators.
// Out: checked settings, permits, identities, a Grant to write, a client that reaches public addresses only.
//
// It imports core, and must never import anything else of ours.
package platform
