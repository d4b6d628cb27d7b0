import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

/** What the operating system puts around a child process, whatever runs in it. */
export type SystemWall =
  | { stands: true; program: string; args: readonly string[] }
  | { stands: false; reason: "no-namespaces" | "no-program" | "other-system" | "graphics-driver" }

/** Where Linux systems keep it; never looked up in `PATH`, which somebody may have changed. */
const places = ["/usr/bin/unshare", "/bin/unshare", "/run/current-system/sw/bin/unshare"]
/**
 * Namespaces of its own: users, so that it may have the others and can't trace or look into the box; network, which has no
 * address at all, not even loopback; shared memory. `unshare` becomes the program, so process id, signals and exit stay the same.
 */
const namespaces = ["--user", "--map-current-user", "--net", "--ipc", "--"]
const probeMs = 1000

let found: SystemWall | undefined
let foundOfGraphics: SystemWall | undefined

/** The wall that works here, tried once, when the first child starts: containers and some distributions forbid it. */
export function systemWall(): SystemWall {
  return (found ??= probe(process.platform, places))
}

/** Tries what a child would be started with. */
export function probe(platform: NodeJS.Platform, programs: readonly string[]): SystemWall {
  if (platform !== "linux") return { stands: false, reason: "other-system" }
  const program = programs.find((path) => existsSync(path))
  if (program === undefined) return { stands: false, reason: "no-program" }
  const { status } = spawnSync(program, [...namespaces, program, "--version"], {
    env: {},
    stdio: "ignore",
    timeout: probeMs,
  })
  return status === 0
    ? { stands: true, program, args: namespaces }
    : { stands: false, reason: "no-namespaces" }
}

/**
 * The wall of processes that use the graphics card, decided when it is first asked for: as long as the box runs, each of
 * them has the wall that is told of.
 */
export function systemWallOfGraphics(): SystemWall {
  return (foundOfGraphics ??= wallOfGraphics(systemWall(), existsSync))
}

/**
 * NVIDIA's driver loads its compute module through a program with the rights of root, which a namespace of users takes
 * from it: until that has happened once, there is no wall.
 */
export function wallOfGraphics(wall: SystemWall, exists: (path: string) => boolean): SystemWall {
  const isUnprepared = exists("/dev/nvidiactl") && !exists("/dev/nvidia-uvm")
  return wall.stands && isUnprepared ? { stands: false, reason: "graphics-driver" } : wall
}
