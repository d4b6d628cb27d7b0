/** WASI preview 1 error numbers, as the program sees them. */
export const errno = {
  success: 0,
  again: 6,
  badf: 8,
  exist: 20,
  fault: 21,
  fbig: 22,
  ilseq: 25,
  inval: 28,
  isdir: 31,
  mfile: 33,
  nametoolong: 37,
  noent: 44,
  nospc: 51,
  notdir: 54,
  notempty: 55,
  notsup: 58,
  rofs: 69,
  spipe: 70,
  notcapable: 76,
} as const

/** An invalid or unsupported call. The program gets the error number and continues. */
export class WasiError extends Error {
  override readonly name = "WasiError"
  readonly errno: number

  constructor(name: keyof typeof errno) {
    super(name)
    this.errno = errno[name]
  }
}

/** Ends the program at its own request. */
export class ProgramExit extends Error {
  override readonly name = "ProgramExit"
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}
