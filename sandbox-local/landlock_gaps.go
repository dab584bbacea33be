package sandboxlocal

import (
	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
)

// Reasons of gaps.
const (
	reasonMetadata   = "Landlock does not govern the metadata of files"
	reasonTruncate   = "Landlock does not govern truncation by path before ABI 3"
	reasonDeviceCtrl = "Landlock does not govern the control of devices before ABI 5"
)

// landlockGaps names what Landlock does not govern on this kernel, and what
// the system-call filter, where it is used, does not refuse either.
func landlockGaps(kernel landlock.Kernel, who landlockCaller, filtered bool) []sandbox.Gap {
	var gaps []sandbox.Gap
	if !filtered {
		gaps = metadataGaps(who)
		if kernel.ABI < landlock.ABITruncate {
			gaps = append(gaps, gapsOf(sandbox.PlaceOutside, reasonTruncate, sandbox.EffectTruncate)...)
			gaps = append(gaps, gapsOf(sandbox.PlaceDev, reasonTruncate, sandbox.EffectTruncate)...)
		}
	}
	if kernel.ABI < landlock.ABIDeviceIoctls {
		gaps = append(gaps, gapsOf(sandbox.PlaceDev, reasonDeviceCtrl, sandbox.EffectDeviceControl)...)
	}
	return gaps
}

// metadataGaps are about the files that the caller owns, or any file if it is
// root. In /dev anybody may own files, for /dev/shm is there; the nodes belong
// to root. In /proc anybody owns the entries of its processes, whose times
// alone can be set; the others belong to root. They have neither attributes
// nor flags.
func metadataGaps(who landlockCaller) []sandbox.Gap {
	effects := []sandbox.Effect{sandbox.EffectMode, sandbox.EffectTimes, sandbox.EffectXattr, sandbox.EffectInodeFlags}
	if who.owners {
		effects = append(effects, sandbox.EffectOwner)
	}
	gaps := gapsOf(sandbox.PlaceOutside, reasonMetadata, effects...)
	gaps = append(gaps, gapsOf(sandbox.PlaceDev, reasonMetadata, effects...)...)
	gaps = append(gaps, gapsOf(sandbox.PlaceProc, reasonMetadata, sandbox.EffectTimes)...)
	if who.root {
		gaps = append(gaps, gapsOf(sandbox.PlaceProc, reasonMetadata, sandbox.EffectMode, sandbox.EffectOwner)...)
	}
	return gaps
}
