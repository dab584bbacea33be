package benchtable

import (
	"fmt"
	"strconv"
	"time"
)

// Unit is what a figure counts.
type Unit string

const (
	Seconds        Unit = "s"
	Bytes          Unit = "B"
	BytesPerSecond Unit = "B/s"
	Count          Unit = "" // how many
)

// Quantity is a figure with its unit.
type Quantity struct {
	Value float64 `json:"value"`
	Unit  Unit    `json:"unit,omitempty"`
}

// Duration is a quantity of time.
func Duration(d time.Duration) Quantity { return Quantity{d.Seconds(), Seconds} }

// Throughput is how fast a number of bytes went in a time.
func Throughput(bytes int64, took time.Duration) Quantity {
	return Quantity{float64(bytes) / took.Seconds(), BytesPerSecond}
}

// String is the figure as a person reads it.
func (q Quantity) String() string {
	switch q.Unit {
	case Seconds:
		return seconds(q.Value)
	case Bytes:
		return scaled(q.Value, 1024, "B", "KiB", "MiB", "GiB")
	case BytesPerSecond:
		return scaled(q.Value, 1000, "B/s", "kB/s", "MB/s", "GB/s")
	default:
		return strconv.FormatFloat(q.Value, 'f', decimals(q.Value), 64)
	}
}

func seconds(value float64) string {
	switch {
	case value < 0:
		return "-" + seconds(-value)
	case value < 1e-6:
		return fmt.Sprintf("%.0f ns", value*1e9)
	case value < 1e-3:
		return fmt.Sprintf("%.*f µs", decimals(value*1e6), value*1e6)
	case value < 1:
		return fmt.Sprintf("%.*f ms", decimals(value*1e3), value*1e3)
	default:
		return fmt.Sprintf("%.2f s", value)
	}
}

func scaled(value, step float64, units ...string) string {
	i := 0
	for ; (value >= step || value <= -step) && i < len(units)-1; i++ {
		value /= step
	}
	return fmt.Sprintf("%.*f %s", decimals(value), value, units[i])
}

// decimals shows about three digits of a figure.
func decimals(value float64) int {
	switch {
	case value == 0, value >= 100, value <= -100:
		return 0
	case value >= 10, value <= -10:
		return 1
	default:
		return 2
	}
}
