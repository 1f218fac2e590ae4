// Package core holds the shared vocabulary: findings, assessments, jobs and problems (posture),
// what was read of an account (snapshot), calls and plans that change something (change), and the
// small pure parsers and seals below them.
//
// Input: untrusted texts and bytes, and times passed by the caller. Output: typed values that are
// safe to store, compare and send.
//
// It imports no other package of this module.
package core
