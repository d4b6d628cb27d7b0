import { hash } from "node:crypto"

/** Hashes over and over, each time with the number of the turn before it, so that trying passwords takes long (MS-OFFCRYPTO 2.3.4.7 and 2.3.4.11). */
export function spin(first: Buffer, times: number, hashName: string): Buffer {
  let spun = first
  const turn = Buffer.alloc(4 + first.length)
  for (let count = 0; count < times; count++) {
    turn.writeUInt32LE(count)
    spun.copy(turn, 4)
    spun = hash(hashName, turn, "buffer")
  }
  return spun
}

/** A number in four bytes, as it is hashed along. */
export function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
