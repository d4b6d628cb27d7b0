import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

/** The operating system's sandbox around a child process, which applies to any code that runs in it. */
export type SystemSandbox =
  | { stands: true; program: string; args: readonly string[] }
  | { stands: false; reason: "no-namespaces" | "no-program" | "other-system" | "graphics-driver" }

/** Locations on Linux systems. `PATH` isn't searched, because someone may have changed it. */
const paths = ["/usr/bin/unshare", "/bin/unshare", "/run/current-system/sw/bin/unshare"]
/**
 * The child's own namespaces. User: allows the other namespaces and prevents tracing or inspecting the box. Network: has no address at all,
 * not even loopback. IPC: separates shared memory. `unshare` becomes the program, so process ID, signals and exit code stay the same.
 */
const namespaces = ["--user", "--map-current-user", "--net", "--ipc", "--"]
/** It usually takes a few milliseconds. A busy computer must not run without a sandbox because of a short limit. */
const probeMs = 10_000

let found: SystemSandbox | undefined
let foundOfGraphics: SystemSandbox | undefined

/**
 * Returns the sandbox that works here. It is tried once, when the first child starts, because containers and some distributions forbid it.
 */
export function getSystemSandbox(): SystemSandbox {
  return (found ??= probe(process.platform, paths))
}

/** Tries the command with which a child would be started. */
export function probe(platform: NodeJS.Platform, programs: readonly string[]): SystemSandbox {
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
 * Returns the sandbox of processes that use the GPU. It is decided at the first call, so that all of them have the reported sandbox as long
 * as the box runs.
 */
export function getGraphicsSandbox(): SystemSandbox {
  return (foundOfGraphics ??= graphicsSandbox(getSystemSandbox(), existsSync))
}

/**
 * NVIDIA's driver loads its compute module through a program with root rights, which a user namespace removes. There is no sandbox until
 * the module has been loaded once.
 */
export function graphicsSandbox(sandbox: SystemSandbox, exists: (path: string) => boolean): SystemSandbox {
  const isUnprepared = exists("/dev/nvidiactl") && !exists("/dev/nvidia-uvm")
  return sandbox.stands && isUnprepared ? { stands: false, reason: "graphics-driver" } : sandbox
}
