import { outputLimits, type PythonFile } from "./python-job.ts"
import { MemoryDirectory, WritableFile } from "./wasi/memory-files.ts"

/** Returns the files that code left in a directory, sorted by name, and a note about what was left out. */
export function readOutputFiles(directory: MemoryDirectory): { files: PythonFile[]; note?: string } {
  const files: PythonFile[] = []
  let size = 0
  let leftOut = 0
  for (const { name, bytes } of written(directory, "")) {
    const isTooMuch = files.length >= outputLimits.files || size + bytes.byteLength > outputLimits.bytes
    if (isTooMuch || name.length > outputLimits.path) leftOut++
    else {
      size += bytes.byteLength
      files.push({ name, bytes: bytes.slice() })
    }
  }
  const megabytes = outputLimits.bytes / 1e6
  if (leftOut === 0) return { files }
  return {
    files,
    note: `${leftOut} files were left out: at most ${outputLimits.files} of ${megabytes} MB in all are shown, with paths of up to ${outputLimits.path} characters.`,
  }
}

function* written(directory: MemoryDirectory, path: string): Generator<PythonFile> {
  const names = [...directory.entries.keys()].sort()
  for (const name of names) {
    const node = directory.get(name)
    if (node instanceof MemoryDirectory) yield* written(node, `${path}${name}/`)
    else if (node instanceof WritableFile) yield { name: `${path}${name}`, bytes: node.bytes }
  }
}
