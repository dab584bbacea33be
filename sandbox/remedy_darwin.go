package sandbox

// remedy says what to install or switch on.
const remedy = "Make sure that /usr/bin/sandbox-exec exists and that this program is not itself sandboxed"
