import { createRequire } from "node:module"
import { join, sep } from "node:path"
import { programsDirectory } from "../child.ts"

export interface Rights {
  /** Files, or directories with everything in them, that a child may read besides the program itself. */
  read?: readonly string[]
  /** For its own watchdog, before it reads anything: `giveUpRights` ends it. */
  threads?: true
  /** For native code of the program itself and a process that tries it, before anything else: `giveUpRights` ends both. */
  addons?: true
}

/**
 * Node's permission model: the program's own code may be read, and nothing else is allowed but these rights. It knows
 * nothing of networks and of `node:sqlite`, which opens every file: the module is left out.
 */
export function permissionArguments({ read = [], threads, addons }: Rights = {}): string[] {
  return [
    "--permission",
    ...[...programDirectories(), ...read].map((path) => `--allow-fs-read=${path}`),
    ...(threads ? ["--allow-worker"] : []),
    ...(addons ? ["--allow-addons", "--allow-child-process"] : []),
    "--disable-warning=SecurityWarning", // that these rights need care
    "--no-experimental-sqlite",
    "--disable-sigusr1",
  ]
}

/** A directory with everything in it, as a right to read or write. */
export const everythingIn = (directory: string): string => join(directory, "*")

/** Where the program's code is: its bundle, and the packages that it uses. */
function programDirectories(): string[] {
  const aPackage = createRequire(import.meta.url).resolve("yauzl")
  const packages = `${sep}node_modules${sep}`
  return [
    everythingIn(programsDirectory),
    aPackage.slice(0, aPackage.lastIndexOf(packages) + packages.length) + "*",
  ]
}
