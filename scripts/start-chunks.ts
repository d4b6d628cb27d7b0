import { join } from "node:path"
import { normalizePath } from "vite"

interface ModuleInfo {
  isEntry: boolean
  importedIds: readonly string[]
  dynamicallyImportedIds: readonly string[]
}
type InfoOf = (id: string) => ModuleInfo | null

/** The entry modules of each step or program, by name. */
type EntryModules = Readonly<Record<string, readonly string[]>>

/**
 * Puts the code loaded at startup into few files, because finding, reading and linking each one takes time. The bundler alone would create
 * a file for each set of parts that share a module. Here, modules share a file if the same programs load them, so no program loads more
 * than it needs. Each startup step before the last has one file for the modules that earlier steps haven't loaded. Modules loaded later
 * have separate files.
 */
export function startChunks(root: string, steps: EntryModules, others: EntryModules) {
  let names: ReadonlyMap<string, string> | undefined
  return {
    name(id: string, modules: { getModuleInfo: InfoOf }): string | null {
      names ??= chunkNames(resolveInRoot(root, steps), resolveInRoot(root, others), (each) =>
        modules.getModuleInfo(each),
      )
      return names.get(id) ?? null
    },
    includeDependenciesRecursively: false,
  }
}

const resolveInRoot = (root: string, entryModules: EntryModules): EntryModules =>
  Object.fromEntries(
    Object.entries(entryModules).map(([name, paths]) => [
      name,
      paths.map((path) => normalizePath(join(root, path))),
    ]),
  )

/**
 * The file of each module loaded at startup. A module's imports are in its own file, in one that more programs load, or in one of an
 * earlier step, so no files import each other.
 */
export function chunkNames(steps: EntryModules, others: EntryModules, getInfo: InfoOf): Map<string, string> {
  const names = new Map<string, string>()
  const uses = new Map(
    Object.entries(others).flatMap(([name, paths]) => [
      [name, reach(paths, getInfo, { includeDynamic: false })] as const,
      [`${name}-later`, reach(paths, getInfo, { includeDynamic: true })] as const,
    ]),
  )
  const last = Object.keys(steps).at(-1)
  const numbers = new Map<string, number>()
  for (const [step, paths] of Object.entries(steps)) {
    for (const id of reach(paths, getInfo, { includeDynamic: false })) {
      if (names.has(id) || getInfo(id)?.isEntry === true) continue
      const users = [...uses].filter(([, used]) => step === last && used.has(id)).map(([name]) => name)
      const set = users.join()
      numbers.set(set, numbers.get(set) ?? numbers.size)
      names.set(id, `${step}-${String(numbers.get(set))}`)
    }
  }
  return names
}

/** All modules that these import, directly or indirectly. */
function reach(
  from: readonly string[],
  getInfo: InfoOf,
  { includeDynamic }: { includeDynamic: boolean },
): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [...from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const info = reached.has(id) ? null : getInfo(id)
    if (!info) continue
    reached.add(id)
    open.push(...info.importedIds, ...(includeDynamic ? info.dynamicallyImportedIds : []))
  }
  return reached
}
