package subprocesslocal

// unreadBytes is FIONREAD of <sys/filio.h>, _IOR('f', 127, int).
const unreadBytes = 0x4004667f
