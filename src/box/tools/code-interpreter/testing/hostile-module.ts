/** An argument of a call: 32-bit values are numbers, 64-bit values are bigints. */
export type Argument = number | bigint

const [i32, i64] = [0x7f, 0x7e]

/**
 * A WebAssembly program with one memory page. Its `_start` makes one WASI call with these arguments and stores the result at the end of its
 * memory. `data` is placed at the start of memory.
 */
export function hostileModule(
  call: string,
  args: readonly Argument[],
  data = new Uint8Array(),
): WebAssembly.Module {
  const types = args.map((arg) => (typeof arg === "bigint" ? i64 : i32))
  const pushed = args.flatMap((arg) =>
    typeof arg === "bigint" ? [0x42, ...signed(BigInt.asIntN(64, arg))] : [0x41, ...signed(BigInt(arg | 0))],
  )
  const body = [0, 0x41, ...signed(BigInt(resultAt)), ...pushed, 0x10, 0, 0x36, 2, 0, 0x0b]
  return new WebAssembly.Module(
    Uint8Array.from([
      0,
      0x61,
      0x73,
      0x6d,
      1,
      0,
      0,
      0, // magic number and version
      ...section(1, [2, 0x60, ...list(types), 1, i32, 0x60, 0, 0]),
      ...section(2, [1, ...text("wasi_snapshot_preview1"), ...text(call), 0, 0]),
      ...section(3, [1, 1]),
      ...section(5, [1, 1, 1, 1]),
      ...section(7, [2, ...text("memory"), 2, 0, ...text("_start"), 0, 1]),
      ...section(10, [1, ...list(body)]),
      ...section(11, [1, 0, 0x41, 0, 0x0b, ...list([...data])]),
    ]),
  )
}

/** Address of the call's result. */
export const resultAt = 65_532

const list = (bytes: readonly number[]) => [...unsigned(bytes.length), ...bytes]
const section = (id: number, bytes: readonly number[]) => [id, ...list(bytes)]
const text = (value: string) => list([...new TextEncoder().encode(value)])

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}
