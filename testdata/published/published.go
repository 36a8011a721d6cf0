// Package published holds published figures that programs show beside measured ones.
package published

import _ "embed"

// Dbtester is the file of dbtester's table.
//
//go:embed dbtester.txt
var Dbtester string
