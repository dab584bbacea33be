package sandbox

// Report is what one confinement enforces on the running kernel.
type Report struct {
	// Runner names the backend: "bwrap", "landlock", "seatbelt", "custom" for a
	// configured command, or what another provider calls its own.
	Runner string
	// Enforcement says whether the mode holds as a whole.
	Enforcement Enforcement
	// Gaps is non-empty exactly when Enforcement is Partial.
	Gaps []Gap
}

// Enforcement says whether a mode holds as a whole.
type Enforcement string

const (
	// Full means that the mode holds without exception.
	Full Enforcement = "full"
	// Partial means that the report names at least one gap.
	Partial Enforcement = "partial"
)

// EnforcementOf returns Partial if there is a gap and Full otherwise.
func EnforcementOf(gaps []Gap) Enforcement {
	if len(gaps) > 0 {
		return Partial
	}
	return Full
}

// Gap is one file effect of the mode that a backend does not govern here.
type Gap struct {
	// Effect is what the command can still do.
	Effect Effect
	// Place is where it can.
	Place Place
	// Reason says in one sentence why the backend does not govern it.
	Reason string
}

// Covers reports whether the gap is about effect at place. [PlaceOutside]
// covers every place that lies outside the writable roots on an ordinary file
// system.
func (g Gap) Covers(effect Effect, place Place) bool {
	if g.Effect != effect {
		return false
	}
	if g.Place == PlaceOutside {
		return place == PlaceOutside || place == PlaceBeside || place == PlaceHome
	}
	return g.Place == place
}

// Effect is one way in which a command can change the host: a row of the truth
// table.
type Effect string

// The effects.
const (
	EffectCreate             Effect = "create"
	EffectOverwrite          Effect = "overwrite"
	EffectAppend             Effect = "append"
	EffectTruncate           Effect = "truncate"            // by path: truncate(2), or open(2) with O_TRUNC
	EffectTruncateDescriptor Effect = "truncate-descriptor" // ftruncate(2) on a descriptor opened in the sandbox
	EffectUnlink             Effect = "unlink"
	EffectRename             Effect = "rename"        // within one directory
	EffectRenameAcross       Effect = "rename-across" // between directories
	EffectHardLink           Effect = "hard-link"
	EffectSymlink            Effect = "symlink"
	EffectMkdir              Effect = "mkdir"
	EffectRmdir              Effect = "rmdir"
	EffectFIFO               Effect = "fifo"
	EffectSocket             Effect = "socket" // a socket file made by bind(2)
	EffectDeviceNode         Effect = "device-node"
	EffectDeviceControl      Effect = "device-control" // ioctl(2) on a device
	EffectMode               Effect = "mode"
	EffectOwner              Effect = "owner"
	EffectTimes              Effect = "times" // modification times; access times are outside the promise
	EffectXattr              Effect = "xattr"
	EffectInodeFlags         Effect = "inode-flags"
	EffectRemount            Effect = "remount"
	EffectKernelSetting      Effect = "kernel-setting"       // writing beneath /proc/sys and the like
	EffectProcLink           Effect = "proc-link"            // through another process's root, cwd or fd
	EffectInheritedFD        Effect = "inherited-descriptor" // through a descriptor of the host program
	EffectOpenByHandle       Effect = "open-by-handle"
	EffectIOUring            Effect = "io-uring" // a change made by an io_uring operation
)

// Place is where an effect is attempted: a column of the truth table.
type Place string

// The places.
const (
	PlaceWorkspace Place = "workspace" // beneath the workspace root
	PlaceTemp      Place = "temp"      // the temporary area
	PlaceBeside    Place = "beside"    // a directory next to the workspace
	PlaceHome      Place = "home"      // the user's home directory
	PlaceDev       Place = "dev"       // /dev
	PlaceProc      Place = "proc"      // /proc
	// PlaceOutside is any ordinary directory outside the writable roots,
	// PlaceBeside and PlaceHome among them.
	PlaceOutside Place = "outside"
)
