/**
 * Why an intact file can't be read at the moment: another program locks it, its disk fails, another file has just replaced it, or the
 * process that read it ended, possibly for another reason.
 */
export type TransientCause = "locked" | "device" | "exchanged" | "died"

const locked = new Set(["EBUSY", "ETXTBSY"])
/** The disk may be on a network. */
const device = new Set(
  (
    "EIO ESTALE ENXIO ENODEV EAGAIN ETIMEDOUT " +
    "EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOTCONN ECONNRESET"
  ).split(" "),
)

/** Returns the cause that an operating system error indicates for a file that can't be read. */
export function getTransientCause(error: unknown): TransientCause | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (locked.has(code)) return "locked"
  return device.has(code) ? "device" : undefined
}
