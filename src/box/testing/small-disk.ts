import { execFileSync } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface SmallDisk extends AsyncDisposable {
  path: string
  /** False where there is no right to mount a file system, which takes root: then it is an ordinary directory. */
  mounted: boolean
}

/** A directory with little room, on a file system of its own; `size` as `mount` takes it. */
export async function mountSmallDisk(size: string): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "casella-full-"))
  const mounted = mount(path, size)
  return {
    path,
    mounted,
    async [Symbol.asyncDispose]() {
      if (mounted) execFileSync("umount", ["-l", path])
      await rm(path, { recursive: true, force: true })
    },
  }
}

function mount(path: string, size: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
