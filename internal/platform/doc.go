// Package platform holds what any service needs, independent of its domain: settings and limits,
// metrics, traces and logs without secrets, the guarded HTTP client for everything except the
// provider, schedules, the identity of people who sign in, and the gate that decides who may write.
//
// In: the environment, the settings file, host names, edit secrets and JWTs, answers of OpenID
// Connect providers and of authenticators. Out: validated settings, permits, identities, a Grant to
// write, a client that reaches only public addresses.
//
// It imports core, and must never import any other package of this module.
package platform
