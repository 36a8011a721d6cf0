// Package report says what a run has shown: metrics of the result line,
// configuration and unit lines, interval logs, time series, a progress line.
// It is the only package that formats anything for users.
//
// The rules of all output:
//
//   - The result stream (stdout) holds what package testing prints, and the
//     lines of [Header] before the first result. Nothing else, for a stray line
//     tears a result line or becomes configuration that splits benchstat's
//     tables. go test joins stderr to stdout, so stderr is no way out: progress
//     goes to the terminal device and disappears.
//   - A number is there and true, or it is not there. Nothing missing is shown
//     as 0: a percentile with fewer than ten operations above it is left out of
//     the result line and is an empty field in a table.
//   - Units are whole words at the end of a name: "p99-ns", "ops/s". In results,
//     logs and tables times are nanoseconds, the one unit that benchstat scales
//     without losing digits, and never 0, which it would take for another unit.
//     Only texts for people scale ("14.2ms"), always to three digits.
//   - Every unit has a direction that a program can read. Names of units are data:
//     once published they never change.
//   - Errors are counted by class and shown with the first of each class. "No
//     errors" is said by a 0, not by silence.
//   - What cannot be written (a full disk) is an error that names the file.
package report
