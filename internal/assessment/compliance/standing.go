package compliance

import "github.com/edgeposture/edgeposture/internal/core/posture"

// standing is what one assessment says about one check.
type standing int

const (
	notRun        standing = iota // left out by a filter or a profile, or newer than the run
	inapplicable                  // ran and found nothing to judge
	unread                        // ran and could judge nothing
	partlyRead                    // passed wherever it could judge, and could not everywhere
	passed                        // passed everywhere
	warned                        // warns somewhere, fails nowhere
	failed                        // fails somewhere
	standingCount                 // how many there are
)

// standingOf reads a tally. What is certain comes first: a failure stays one
// whatever else could not be read.
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

// statusOf says how a control stands whose checks stand as counted by c, those
// that only touch it left out; shown tells whether one that shows it passed. Checks
// that did not run say nothing. Of those that ran:
//
//	none, or only unread ones besides inapplicable ones   not_assessed
//	only inapplicable ones                                not_applicable
//	only passed ones besides inapplicable ones, shown     pass
//	at least one failed, none passed, not even in part    fail
//	anything else                                         partial
//
// So an unread check alone never makes a pass or a fail, warnings without a
// failure are partial, and so is what only supporting checks speak for.
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
