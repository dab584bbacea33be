package subprocesslocal

// sealDescriptors marks every descriptor of this program but the standard ones
// close-on-exec, so that what the program itself inherited is not passed on.
func sealDescriptors() { sealEach("/dev/fd") }
