export interface PythonJob {
  code: string
  /** Files that the code may read under `in/`. */
  inputs: PythonInput[]
}

export interface PythonInput {
  /** Its path under `in/`. */
  path: string
  /** Bytes. */
  size: number
  /** Null if the file is listed but can't be opened. */
  bytes: Uint8Array | null
}

export interface PythonFile {
  /** Its path under the directory in which the code runs. */
  name: string
  bytes: Uint8Array
}

export interface PythonAnswer {
  /** Everything printed to stdout and stderr. */
  output: string
  /** `repr` of the last expression, if it has a value. */
  value: string | null
  /** A traceback without the sandbox's own frames, if the code failed. */
  error: string | null
  /** Files that the code left in its directory, up to the limits. */
  files: PythonFile[]
  /** Sentences about what was left out. */
  notes: string[]
}

export const outputLimits = { characters: 30_000, value: 10_000, files: 10, bytes: 10_000_000, path: 5000 }
