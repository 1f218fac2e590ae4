package siem

import "flag"

// Update rewrites golden files.
var Update = flag.Bool("update", false, "rewrite golden files")

// FieldTable is the table the template is made from.
const FieldTable = fields
