import { execFile } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { probe, getSystemSandbox, getGraphicsSandbox, graphicsSandbox } from "./system-sandbox.ts"

// Catches a sandbox that is reported as active where the system refuses it, or children that can't start there.
it("is inactive if the program is missing, refuses, or belongs to another system", () => {
  expect(probe("linux", ["/nowhere/unshare"])).toEqual({ stands: false, reason: "no-program" })
  expect(probe("linux", ["/bin/false"])).toEqual({ stands: false, reason: "no-namespaces" })
  expect(probe("darwin", ["/bin/true"])).toEqual({ stands: false, reason: "other-system" })
})

// Catches models that silently lose an NVIDIA GPU, whose kernel module only a root program can load.
it("excludes the engine until the GPU driver is loaded", () => {
  const sandbox = { stands: true, program: "/usr/bin/unshare", args: [] } as const
  const devices = (...present: string[]) => graphicsSandbox(sandbox, (path) => present.includes(path))
  expect(devices("/dev/nvidiactl")).toEqual({ stands: false, reason: "graphics-driver" })
  expect(devices("/dev/nvidiactl", "/dev/nvidia-uvm")).toBe(sandbox)
  expect(devices("/dev/dri/renderD128")).toBe(sandbox)
})

// Catches a probe that runs for every child, and a report that differs from the sandbox of running children because the driver was loaded
// after they started.
it("decides only once", () => {
  expect(getSystemSandbox()).toBe(getSystemSandbox())
  expect(getGraphicsSandbox()).toBe(getGraphicsSandbox())
})

// Catches code with all its functions intact, such as native code, that still reaches an address or inspects the box.
it("contains any code that runs in it", { tags: "walls" }, async () => {
  let arrived = 0
  const server = createServer((socket) => {
    arrived++
    socket.destroy()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const packets = createSocket("udp4").on("message", () => arrived++)
  packets.bind(port, "127.0.0.1")
  await once(packets, "listening")
  const program = `
    const { readFileSync } = require("node:fs")
    require("node:net").connect(${port}, "127.0.0.1").on("error", ({ code }) => {
      require("node:dgram").createSocket("udp4").send("x", ${port}, "127.0.0.1", (error) => {
        const tried = (file) => { try { return String(readFileSync(file).length) } catch (error) { return error.code } }
        console.log(code, error?.code, tried("/proc/${process.pid}/environ"))
        process.exit()
      })
    }).on("connect", () => { console.log("connected"); process.exit() })`
  const run = async (file: string, args: readonly string[]) =>
    (await promisify(execFile)(file, args)).stdout.trim()
  const alone = ["-e", program]
  const sandbox = getSystemSandbox()
  if (!sandbox.stands) throw new Error("There is no wall here.")
  expect(await run(process.execPath, alone)).toBe("connected")
  expect(arrived).toBe(1)
  expect(await run(sandbox.program, [...sandbox.args, process.execPath, ...alone])).toBe(
    "ENETUNREACH ENETUNREACH EACCES",
  )
  expect(arrived).toBe(1)
  server.close()
  packets.close()
})
