import dgram from "node:dgram"
import dns from "node:dns"
import http from "node:http"
import http2 from "node:http2"
import https from "node:https"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"
import process from "node:process"
import tls from "node:tls"
import { disable } from "./walls/disable.ts"
import { innerProperty } from "./walls/inner-property.ts"

/**
 * Takes the network from this realm: the first import of children, and of their threads, that read what others wrote, or
 * run native code, and have nothing to connect to. It is the wall behind `outbound`, which nothing in them uses, and before
 * that of the system (child-walls/). That no fresh realm is made is for `giveUpRights` and the permission model.
 */
function refuse(): never {
  throw new Error("This process has no network.")
}

// made when they are first used, from what is taken away here
const streams: object[] = [process.stdout, process.stderr]
net.Socket.prototype.connect = refuse
const instances = [net.Server, dgram.Socket, dns.Resolver, dns.promises.Resolver]
for (const { prototype } of instances) disable(prototype, refuse)
// not only what connects: the handles that any instance leads to do as well
for (const builtin of [net, dgram, dns, dns.promises, tls, http, https, http2]) disable(builtin, refuse)
syncBuiltinESMExports()
// what a process is born with are pipes, and a pipe can connect to every socket that has a path
const born = [
  innerProperty(process, "kChannelHandle"),
  ...streams.map((each) => Reflect.get(each, "_handle")),
]
for (const handle of born) if (typeof handle === "object" && handle !== null) leaveOnlyTalk(handle)
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name)

/** Nobody makes another handle of its kind, or has one do more than read and write what it is connected to. */
function leaveOnlyTalk(handle: object): void {
  const reaching = ["bind", "bind2", "bind6", "listen", "connect", "connect2", "connect6", "open", "fchmod"]
  let kind = Object.getPrototypeOf(handle) as object | null
  for (; kind !== null && kind !== Object.prototype; kind = Object.getPrototypeOf(kind) as object | null) {
    for (const name of reaching)
      if (Object.hasOwn(kind, name)) Object.defineProperty(kind, name, { value: refuse })
    Object.defineProperty(kind, "constructor", { value: undefined })
  }
}
