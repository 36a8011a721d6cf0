package suite

import (
	"math"
	"math/rand/v2"
	"strconv"

	"kvbench/internal/load"
	"kvbench/internal/setting"
)

// A Job is what one benchmark measures. If it writes new rows, each run of it
// begins with a store without such rows: empty, or as preloaded and warmed up.
type Job struct {
	Table   Table
	Rows    Rows
	Preload int64 // rows 0 to Preload-1 are there before the run; written once a process
	Loads   []Load
}

// A Load is a number of clients that perform one kind of operation.
type Load struct {
	Kind    string // "read" or "write": the label of its metrics, if the job has several
	Clients int
	Op      Op
	Rate    float64 // arrivals a second; 0 is closed loop. BENCH_RATE overrides it.
}

// clients returns the number of clients of all loads.
func (j *Job) clients() int {
	n := 0
	for _, l := range j.Loads {
		n += l.Clients
	}
	return n
}

// bytes returns the size of the largest request's keys and values.
func (j *Job) bytes() int {
	row := j.Rows.buffer()
	j.Rows.fill(&row, math.MaxInt32, rand.New(rand.NewPCG(0, 0)))
	size := len(row.Key)
	for _, v := range row.Values {
		size += len(v)
	}
	rows := int64(1)
	for _, l := range j.Loads {
		rows = max(rows, l.Op.inserts())
	}
	return size * int(rows)
}

// rate returns the arrival rate of all loads, 0 in closed loop.
func (j *Job) rate() float64 {
	var r float64
	for _, l := range j.Loads {
		r += l.Rate
	}
	return r
}

// inserts reports whether the job writes new rows.
func (j *Job) inserts() bool {
	for _, l := range j.Loads {
		if l.Op.inserts() > 0 {
			return true
		}
	}
	return false
}

// crowd returns the job as many clients do it in closed loop, to warm servers up.
// Rows beside preloaded ones are left out.
func (j Job) crowd() Job {
	var loads []Load
	for _, l := range j.Loads {
		if j.Preload > 0 && l.Op.inserts() > 0 {
			continue
		}
		l.Clients, l.Rate = max(l.Clients, warmupClients), 0
		loads = append(loads, l)
	}
	j.Loads = loads
	return j
}

// atRate returns the job as BENCH_RATE has it: an open loop whose rate is split
// over the loads as their own rates are, or else as their clients.
func (j Job) atRate(b setting.Bench) Job {
	if b.Rate == 0 {
		return j
	}
	loads := make([]Load, len(j.Loads))
	for i, l := range j.Loads {
		share := float64(l.Clients) / float64(j.clients())
		if j.rate() > 0 {
			share = l.Rate / j.rate()
		}
		l.Rate = b.Rate * share
		loads[i] = l
	}
	j.Loads = loads
	return j
}

// name returns the part of the benchmark's name that says how much load there is.
func (j *Job) name() string {
	name := "clients=" + strconv.Itoa(j.clients())
	if r := j.rate(); r > 0 {
		// Names are data: a sum of shares must not show that it is one (499.99999999999994).
		name += "/rate=" + strconv.FormatFloat(math.Round(r*1e6)/1e6, 'f', -1, 64)
	}
	return name
}

// key names the kind of load that servers get warm for.
func (j *Job) key() string {
	key := j.Table.Name + " " + j.Table.Batch
	for _, l := range j.Loads {
		key += " " + l.Op.name()
	}
	return key
}

// arrivals returns load i's arrivals, nil in closed loop.
func (j *Job) arrivals(i int, b setting.Bench) (load.Arrivals, error) {
	if j.Loads[i].Rate == 0 {
		return nil, nil
	}
	return load.NewArrivals(b.Arrivals, j.Loads[i].Rate, b.Seed+uint64(i))
}

// share returns load i's part of n operations. The last load gets what rounding
// leaves, so that the parts add up.
func (j *Job) share(i int, n int64) int64 {
	part := func(i int) int64 {
		if j.rate() > 0 {
			return int64(float64(n) * j.Loads[i].Rate / j.rate())
		}
		return n * int64(j.Loads[i].Clients) / int64(j.clients())
	}
	if i < len(j.Loads)-1 {
		return part(i)
	}
	for k := range i {
		n -= part(k)
	}
	return n
}
