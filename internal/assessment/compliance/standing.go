package compliance

import "github.com/edgeposture/edgeposture/internal/core/posture"

// standing is the result of one assessment for one check.
type standing int

const (
	notRun        standing = iota // left out by a filter or a profile, or newer than the run
	inapplicable                  // ran and found nothing to judge
	unread                        // ran but could judge nothing
	partlyRead                    // passed wherever it could judge, but could not judge everywhere
	passed                        // passed everywhere
	warned                        // warns somewhere, fails nowhere
	failed                        // fails somewhere
	standingCount                 // number of standings
)

// standingOf derives the standing from a tally. Certain results come first: a failure stays one
// whatever could not be read.
func standingOf(t posture.CheckTally) standing {
	switch {
	case t.Fail > 0:
		return failed
	case t.Warning > 0:
		return warned
	case t.Unknown > 0 && t.Pass > 0:
		return partlyRead
	case t.Unknown > 0:
		return unread
	case t.Pass > 0:
		return passed
	case t.NotApplicable > 0:
		return inapplicable
	default:
		return notRun
	}
}

// statusOf returns the status of a control from c, the standings of its checks without those that
// only touch it; shown says whether a check that shows it passed. Checks that did not run count for
// nothing. Of those that ran:
//
//	none, or only unread ones besides inapplicable ones   not_assessed
//	only inapplicable ones                                not_applicable
//	only passed ones besides inapplicable ones, shown     pass
//	at least one failed, none passed, not even in part    fail
//	anything else                                         partial
//
// So an unread check alone never makes a pass or a fail. Warnings without a failure are partial,
// and so is a control with supporting checks only.
func statusOf(c [standingCount]int, shown bool) Status {
	good, bad := c[passed]+c[partlyRead], c[failed]+c[warned]
	switch {
	case good+bad+c[unread]+c[inapplicable] == 0:
		return NotAssessed
	case good+bad+c[unread] == 0:
		return NotApplicable
	case good+bad == 0:
		return NotAssessed
	case bad+c[unread]+c[partlyRead] == 0 && shown:
		return Pass
	case good == 0 && c[failed] > 0:
		return Fail
	default:
		return Partial
	}
}
