import { WasiError } from "./errors.ts"
import type { GuestMemory } from "./guest-memory.ts"
import { MemoryDirectory, type MemoryNode } from "./memory-files.ts"

const filetype = { unknown: 0, directory: 3, regular: 4 } as const
const times = { atim: 1, atimNow: 2, mtim: 4, mtimNow: 8 } as const
const statSize = 64

/** Converts the program's 64-bit numbers to unsigned, because WebAssembly passes them as signed. */
export const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value)

export function setTime(node: MemoryNode, changed: bigint, flags: number): void {
  if (node.readOnly) throw new WasiError("rofs")
  if ((flags & times.mtimNow) !== 0) node.changedAt = BigInt(Date.now()) * 1_000_000n
  else if ((flags & times.mtim) !== 0) node.changedAt = unsigned(changed)
}

/** `null` stands for a stream. */
export function writeStat(memory: GuestMemory, pointer: number, node: MemoryNode | null): void {
  const stat = memory.view(pointer, statSize)
  const changed = node?.changedAt ?? 0n
  stat.setBigUint64(0, 0n, true)
  stat.setBigUint64(8, node?.inode ?? 0n, true)
  stat.setBigUint64(16, BigInt(typeOf(node)), true)
  stat.setBigUint64(24, 1n, true)
  stat.setBigUint64(32, BigInt(node && !(node instanceof MemoryDirectory) ? node.size : 0), true)
  for (const offset of [40, 48, 56]) stat.setBigUint64(offset, changed, true)
}

export function typeOf(node: MemoryNode | null): number {
  if (node === null) return filetype.unknown
  return node instanceof MemoryDirectory ? filetype.directory : filetype.regular
}
