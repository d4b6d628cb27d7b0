// Preloaded into a real child process that was taken over: what it says to the box, instead of its work, is chosen by
// its environment.
import { writeSync } from "node:fs"
import { serialize } from "node:v8"
import { encodeMessage } from "../../core/children/parent.ts"

/** Behind the three that every process has. */
const channel = 3

const write = (...bytes) => writeSync(channel, Uint8Array.from(bytes))

const say = (message) => process.send(encodeMessage(message))
const batch = (blocks) => say({ type: "batch", notes: [], done: true, blocks })
const answer = (value) => say({ type: "answer", answer: value })
/** Writes bytes as one message, whatever they are. */
function writeMessage(bytes) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  const all = Buffer.concat([length, bytes])
  for (let at = 0; at < all.length;) {
    try {
      at += writeSync(channel, all, at)
    } catch (error) {
      if (error.code !== "EAGAIN") throw error // the box hasn't read yet
    }
  }
}
/** A list of so many in V8's format, each of which is these bytes. */
function getList(count, each) {
  const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >>> 7)])
  return Buffer.concat([
    Uint8Array.from([0xff, 0x0f, 0x41, ...number(count)]),
    Buffer.alloc(count * each.length, Uint8Array.from(each)),
    Uint8Array.from([0x24, 0, ...number(count)]),
  ])
}
/** Made before `node:v8` is taken away. */
const asNode = serialize({ type: "ready" })
/** Bytes as an honest child wraps them. */
const wrapped = (bytes) => process.send(new Uint8Array(bytes))
const getText = (text, length = text.length) => {
  const head = Buffer.alloc(4)
  head.writeUInt32LE(length)
  return Buffer.concat([head, Buffer.from(text)])
}

const messages = {
  "nothing that Node can read": () => write(0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8),
  "a message of no bytes": () => write(0, 0, 0, 0),
  "a message of four gigabytes": () => {
    write(0xff, 0xff, 0xff, 0xff)
    const piece = new Uint8Array(2 ** 20)
    for (;;) {
      try {
        writeSync(channel, piece)
      } catch (error) {
        if (error.code !== "EAGAIN") throw error // the box hasn't read yet
      }
    }
  },
  "empty maps that take gigabytes": () => writeMessage(getList(2_000_000, [0x3b, 0x3a, 0])),
  "long empty lists in some hundred bytes": () =>
    writeMessage(getList(60, [0x61, 0x80, 0x80, 0x80, 2, 0x40, 0, 0x80, 0x80, 0x80, 2])),
  "an object as Node writes it": () => writeMessage(asNode),
  "bytes without a text": () => wrapped([]),
  "a text that is none": () => wrapped(getText("{")),
  "a text that ends too early": () => wrapped(getText("{}", 99)),
  "a text that is too long": () => wrapped(getText(" ".repeat(9_000_000))),
  "bytes in what everybody shares": () =>
    wrapped(
      getText(
        JSON.stringify({
          message: {},
          places: [{ path: ["__proto__", "polluted"], kind: "Uint8Array", length: 0 }],
        }),
      ),
    ),
  null: () => say(null),
  "no object": () => say("ready"),
  "a handle that isn't there": () => process.send({ cmd: "NODE_HANDLE", type: "constructor" }),
  "another type": () => say({ type: "constructor" }),
  "no answer": () => answer(null),
  "an answer of another shape": () => answer({ value: { length: 2 ** 32 } }),
  "no blocks": () => batch(null),
  "blocks that are none": () => batch([null, 5]),
  "a block without a bound": () => batch([{ kind: "paragraph", text: "x".repeat(5_000_000), location: {} }]),
  "a reason that is none": () => say({ type: "failure", notes: [], reason: null, outcome: "failed" }),
  "a picture that browsers run": () =>
    say({
      type: "page-picture",
      notes: [],
      picture: { mediaType: "text/html", bytes: new Uint8Array() },
    }),
}

const { emit } = process
process.emit = function (name, ...rest) {
  if (name !== "message") return emit.call(this, name, ...rest)
  try {
    messages[process.env.SAYS]()
  } catch {
    // it was ended meanwhile
  }
  return true
}
