import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface SmallDisk extends AsyncDisposable {
  path: string
  /** False without the right to mount a file system, which requires root. The path is then an ordinary directory. */
  mounted: boolean
  /** Fills the disk until nothing more fits, with bytes or with empty files. */
  fill(what?: "bytes" | "files"): void
  /** Makes the disk read-only or writable. */
  setReadOnly(readOnly: boolean): void
  /** Frees the space that `fill` used. */
  makeRoom(): void
}

/**
 * Mounts a small file system on a new directory. `size` is passed to `mount` and may contain more options. Tests that use it are tagged
 * `mount`.
 */
export async function mountSmallDisk(size: string): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "casella-full-"))
  const mounted = mount(path, size)
  const filler = join(path, "filler")
  return {
    path,
    mounted,
    fill(what = "bytes") {
      if (!mounted) throw new Error(`Nothing is mounted at ${path}: tag the test "mount".`)
      if (what === "bytes") fillBytes(filler)
      else fillFiles(filler)
    },
    setReadOnly: (readOnly) =>
      void execFileSync("mount", ["-o", `remount,${readOnly ? "ro" : "rw"}`, path], { stdio: "ignore" }),
    makeRoom: () => rmSync(filler, { recursive: true, force: true }),
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

function fillBytes(path: string): void {
  const file = openSync(path, "w")
  try {
    for (let size = 1024 * 1024; size >= 1;) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) continue
      } catch {
        size = Math.floor(size / 2)
      }
    }
  } finally {
    closeSync(file)
  }
}

function fillFiles(directory: string): void {
  mkdirSync(directory)
  try {
    for (let number = 0; ; number++) writeFileSync(join(directory, String(number)), "")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
}

/** Returns a state that changes when a directory, or anything in it, is created, written, renamed, chmod-ed or deleted. */
export async function directoryState(directory: string): Promise<Record<string, string>> {
  const state: Record<string, string> = {}
  for (const name of ["", ...(await readdir(directory, { recursive: true })).toSorted()]) {
    const path = join(directory, name)
    const found = await lstat(path)
    const content = found.isFile()
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : ""
    state[name] = [found.mode, found.nlink, found.mtimeMs, found.ctimeMs, content].join(" ")
  }
  return state
}

/** Copies a directory that a box is using. Files that disappear meanwhile are left out, such as the new text of a file being replaced. */
export async function copyWhileUsed(directory: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const [source, target] = [join(directory, entry.name), join(to, entry.name)]
    const copying = entry.isDirectory()
      ? copyWhileUsed(source, target)
      : cp(source, target, { preserveTimestamps: true })
    await copying.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error
    })
  }
}
