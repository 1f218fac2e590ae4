// Package core holds the words everybody here speaks: findings, assessments, jobs and
// problems (posture), what was read of an account (snapshot), calls and plans that change
// something (change), and the small pure parsers and seals below them.
//
// In: texts and bytes that others wrote, instants that the caller passes.
// Out: typed values that are safe to keep, compare and send.
//
// It imports nothing else of ours.
package core
