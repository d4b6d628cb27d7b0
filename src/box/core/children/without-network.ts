import dgram from "node:dgram"
import dns from "node:dns"
import http from "node:http"
import http2 from "node:http2"
import https from "node:https"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"
import process from "node:process"
import tls from "node:tls"
import { disable } from "./sandbox/give-up-rights.ts"
import { innerProperty } from "./sandbox/inner-property.ts"

/**
 * Removes network access from this realm. Children and their threads import it first if they read untrusted data or run native code and
 * have nothing to connect to. It is a second barrier behind `outbound`, which they don't use, and in front of the system's sandbox
 * (sandbox/). `dropRights` and the permission model prevent new realms.
 */
function refuse(): never {
  throw new Error("This process has no network.")
}

// loads the streams now, because they are created lazily with functions that are removed below
const streams: object[] = [process.stdout, process.stderr]
net.Socket.prototype.connect = refuse
const instances = [net.Server, dgram.Socket, dns.Resolver, dns.promises.Resolver]
for (const { prototype } of instances) disable(prototype, refuse)
// not only the connecting functions: the handles that any instance leads to can connect too
for (const builtin of [net, dgram, dns, dns.promises, tls, http, https, http2]) disable(builtin, refuse)
syncBuiltinESMExports()
// the process starts with pipes, and a pipe can connect to any socket that has a path
const born = [
  innerProperty(process, "kChannelHandle"),
  ...streams.map((each) => Reflect.get(each, "_handle")),
]
for (const handle of born) if (typeof handle === "object" && handle !== null) leaveOnlyTalk(handle)
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name)

/** Prevents new handles of this kind, and limits existing ones to reading and writing on their own connection. */
function leaveOnlyTalk(handle: object): void {
  const reaching = ["bind", "bind2", "bind6", "listen", "connect", "connect2", "connect6", "open", "fchmod"]
  let kind = Object.getPrototypeOf(handle) as object | null
  for (; kind !== null && kind !== Object.prototype; kind = Object.getPrototypeOf(kind) as object | null) {
    for (const name of reaching)
      if (Object.hasOwn(kind, name)) Object.defineProperty(kind, name, { value: refuse })
    Object.defineProperty(kind, "constructor", { value: undefined })
  }
}
