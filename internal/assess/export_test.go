package assess

// Raced tells the tests outside of this package that the race detector is on.
const Raced = raced
