/** Why a file can't be read just now, although nothing is wrong with it: another program holds it, or its disk fails. */
export type Obstacle = "locked" | "device"

const locked = ["EBUSY", "ETXTBSY"]
const device = [
  ...["EIO", "ESTALE", "ENXIO", "ENODEV", "ETIMEDOUT", "EAGAIN"],
  ...["EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH", "ENOTCONN", "ECONNRESET"],
]

/** What an error of the operating system says about a file's disk, which may be across a network. */
export function obstacleOf(error: unknown): Obstacle | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (locked.includes(code)) return "locked"
  return device.includes(code) ? "device" : undefined
}
