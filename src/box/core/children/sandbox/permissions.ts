import { createRequire } from "node:module"
import { join, sep } from "node:path"
import { programsDirectory } from "../child.ts"

export interface Rights {
  /** Files, or directories with all their contents, that a child may read as well as the program itself. */
  read?: readonly string[]
  /** For its watchdog, before it reads any data: `dropRights` removes it. */
  threads?: true
  /** For the program's native code and a process that tries it out, before anything else: `dropRights` removes both. */
  addons?: true
}

/**
 * Arguments for Node's permission model: the process may read the program's code and has only these additional rights. The model doesn't
 * cover networks or `node:sqlite`, which opens any file, so that module is disabled.
 */
export function permissionArguments({ read = [], threads, addons }: Rights = {}): string[] {
  return [
    "--permission",
    ...[...programDirectories(), ...read].map((path) => `--allow-fs-read=${path}`),
    ...(threads ? ["--allow-worker"] : []),
    ...(addons ? ["--allow-addons", "--allow-child-process"] : []),
    "--disable-warning=SecurityWarning", // the warning that these rights need care
    "--no-experimental-sqlite",
    "--disable-sigusr1",
  ]
}

/** Returns a pattern for a directory and everything in it, for a right to read or write. */
export const everythingIn = (directory: string): string => join(directory, "*")

/** Returns the directories of the program's code: its bundle, and the packages that it uses. */
function programDirectories(): string[] {
  const aPackage = createRequire(import.meta.url).resolve("yauzl")
  const packages = `${sep}node_modules${sep}`
  return [
    everythingIn(programsDirectory),
    aPackage.slice(0, aPackage.lastIndexOf(packages) + packages.length) + "*",
  ]
}
