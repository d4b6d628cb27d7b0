export interface PythonJob {
  code: string
  /** What it may read below `in/`. */
  inputs: PythonInput[]
}

export interface PythonInput {
  /** Its path below `in/`. */
  path: string
  /** Bytes. */
  size: number
  /** null: it is listed, and can't be opened. */
  bytes: Uint8Array | null
}

export interface PythonFile {
  /** Its path below the directory that the code runs in. */
  name: string
  bytes: Uint8Array
}

export interface PythonAnswer {
  /** What was printed, on both outputs. */
  output: string
  /** `repr` of the last expression, if it has a value. */
  value: string | null
  /** A traceback without the frames of the sandbox's own, if the code failed. */
  error: string | null
  /** Files that the code left in its directory, within the limits. */
  files: PythonFile[]
  /** What was left out, in sentences. */
  notes: string[]
}

export const outputLimits = { characters: 30_000, value: 10_000, files: 10, bytes: 10_000_000, path: 5000 }
