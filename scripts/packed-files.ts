import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative } from "node:path"

const root = join(import.meta.dirname, "..")
const require = createRequire(import.meta.url)
export const packageConfig = join(root, "build/electron-builder.yml")

/** A package's target, in the terms of electron-builder's patterns. */
export interface Target {
  os: "linux" | "mac" | "win"
  platform: "linux" | "darwin" | "win32"
  arch: "x64" | "arm64"
}

interface Stat {
  isDirectory(): boolean
}

// electron-builder has its own modules for this, but without types.
interface BuilderParts {
  FileMatcher: new (
    from: string,
    to: string,
    expand: (pattern: string) => string,
    patterns: string[],
  ) => { createFilter(): (file: string, stat: Stat) => boolean }
}
interface BuilderConfig {
  files: { filter: string[] }[]
  [key: string]: unknown
}

/** The package configuration, validated with electron-builder's own schema. Throws if it is invalid. */
export async function readPackageConfig(): Promise<BuilderConfig> {
  const builder = createRequire(require.resolve("electron-builder"))
  const { getConfig, validateConfiguration } = builder("app-builder-lib/out/util/config/config") as {
    getConfig(directory: string, path: string, options: null): Promise<BuilderConfig>
    validateConfiguration(config: BuilderConfig, logger: object): Promise<void>
  }
  const { DebugLogger } = builder("builder-util") as { DebugLogger: new (enabled: boolean) => object }
  const config = await getConfig(root, packageConfig, null)
  await validateConfiguration(config, new DebugLogger(false))
  return config
}

/** Returns a function that reports whether a target's package contains a path in the project, using electron-builder's own matching. */
export function packs(config: BuilderConfig, { os, platform, arch }: Target): (path: string) => boolean {
  const builder = createRequire(require.resolve("electron-builder"))
  const { FileMatcher } = builder("app-builder-lib/out/fileMatcher") as BuilderParts
  const values: Record<string, string> = { os, platform, arch }
  const expand = (pattern: string) =>
    pattern.replace(/\$\{(\w+)\}/g, (macro, name: string) => values[name] ?? macro)
  const patterns = config.files.flatMap(({ filter }) => filter)
  const modules = new FileMatcher(root, root, expand, ["**/*", ...patterns]).createFilter()
  const own = new FileMatcher(root, root, expand, ["!**/node_modules/**", ...patterns]).createFilter()
  const file: Stat = { isDirectory: () => false }
  return (path) => (path.startsWith("node_modules/") ? modules : own)(join(root, path), file)
}

/** The data that electron-builder writes into a package for electron-updater; null if it writes neither that nor `latest*.yml`. */
export async function updateConfig(config: BuilderConfig, { os }: Target): Promise<object | null> {
  const builder = createRequire(require.resolve("electron-builder"))
  const { getAppUpdatePublishConfiguration } = builder("app-builder-lib/out/publish/PublishManager") as {
    getAppUpdatePublishConfiguration(
      packager: object,
      target: null,
      arch: null,
      errors: boolean,
    ): Promise<object | null>
  }
  const appInfo = { channel: null, updaterCacheDirName: "casella-updater" }
  const packager = {
    config,
    appInfo,
    info: { config, appInfo },
    platformSpecificBuildOptions: config[os] ?? {},
    expandMacro: (text: string) => text,
  }
  return getAppUpdatePublishConfiguration(packager, null, null, false)
}

/** Every file that a package may contain, with forward slashes: built and shipped files, and run-time packages. */
export function candidates(): string[] {
  const directories = [
    "out/main",
    "out/preload",
    "out/renderer",
    "resources",
    "src",
    "e2e",
    "bench",
    ...productionPackages(),
  ]
  return [
    "package.json",
    "LICENSE",
    ...directories.flatMap((directory) =>
      existsSync(join(root, directory))
        ? readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
            .map((name) => slashed(join(directory, name)))
            .filter((path) => !isOtherPackage(directory, path) && lstatSync(join(root, path)).isFile())
        : [],
    ),
  ]
}

const slashed = (path: string) => path.replaceAll("\\", "/")

/** Nested packages are listed separately if they are needed at run time. */
const isOtherPackage = (directory: string, path: string) =>
  directory.startsWith("node_modules") && path.slice(directory.length).includes("/node_modules/")

interface PackageJson {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Directories of the installed packages that `dependencies` include, directly or indirectly. */
function productionPackages(): string[] {
  const found = new Set<string>()
  const visit = (directory: string) => {
    const text = readFileSync(join(directory, "package.json"), "utf8")
    const { dependencies, optionalDependencies } = JSON.parse(text) as PackageJson
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const installed = locate(directory, name)
      if (installed === undefined || found.has(installed)) continue
      found.add(installed)
      visit(installed)
    }
  }
  visit(root)
  return [...found].map((directory) => slashed(relative(root, directory)))
}

function locate(from: string, name: string): string | undefined {
  for (let directory = from; ; directory = join(directory, "..")) {
    const candidate = join(directory, "node_modules", name)
    if (existsSync(candidate)) return candidate
    if (directory === root) return undefined
  }
}
