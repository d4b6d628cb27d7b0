import dgram from "node:dgram"
import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"

/**
 * Takes the network from this process: the first import of children that read what others wrote, or run native code,
 * and have nothing to connect to. It is a wall behind `outbound`, which nothing in them uses; threads have walls of their own.
 */
function refuse(): never {
  throw new Error("This process has no network.")
}

net.Socket.prototype.connect = refuse
dgram.Socket.prototype.bind = refuse
dgram.Socket.prototype.connect = refuse
dgram.Socket.prototype.send = refuse
for (const resolver of [dns, dns.promises])
  for (const [name, value] of Object.entries(resolver))
    if (/^(lookup|resolve|reverse)/.test(name) && typeof value === "function")
      Reflect.set(resolver, name, refuse)
syncBuiltinESMExports()
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name)
