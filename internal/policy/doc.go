// Package policy holds the tests of what this repository has promised itself:
// the rules of CONTRIBUTING.md, and that README.md and the code say the same.
package policy
