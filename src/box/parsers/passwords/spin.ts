import { hash } from "node:crypto"

/** Hashes repeatedly, each time with the number of the round, so that guessing passwords is slow (MS-OFFCRYPTO 2.3.4.7 and 2.3.4.11). */
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

/** Returns a number as four little-endian bytes, for hashing. */
export function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
