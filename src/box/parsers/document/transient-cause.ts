/**
 * Why a file can't be read just now, although nothing is wrong with it: another program holds it, its disk fails,
 * another file has just taken its place, or the process that read it is gone, perhaps for no fault of the file's.
 */
export type TransientCause = "locked" | "device" | "exchanged" | "died"

const locked = new Set(["EBUSY", "ETXTBSY"])
/** The disk may be across a network. */
const device = new Set(
  (
    "EIO ESTALE ENXIO ENODEV EAGAIN ETIMEDOUT " +
    "EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOTCONN ECONNRESET"
  ).split(" "),
)

/** What an error of the operating system says about a file that can't be read. */
export function transientCauseOf(error: unknown): TransientCause | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (locked.has(code)) return "locked"
  return device.has(code) ? "device" : undefined
}
