package sandbox

// remedy says what to install or switch on.
const remedy = "Install bubblewrap (bwrap) and allow unprivileged user namespaces, " +
	"or run a kernel with Landlock enabled (Linux 5.13 or later, \"landlock\" among the active security modules)"
