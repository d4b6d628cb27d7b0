import type { PyodideAPI } from "pyodide"
import { outputLimits, type PythonFile } from "./python-job.ts"

/** Files and directories that are looked at: code can make any number of them. */
const mostEntries = 2000

/** The regular files below a directory of Python's own memory, in the order of their names, and what was left out. */
export function readOutputFiles(
  fs: PyodideAPI["FS"],
  directory: string,
): { files: PythonFile[]; note?: string } {
  const files: PythonFile[] = []
  const waiting = [directory]
  let entries = 0
  let size = 0
  let leftOut = 0
  for (let path = waiting.pop(); path !== undefined && entries < mostEntries; path = waiting.pop()) {
    const { mode, size: bytes } = fs.lstat(path) as { mode: number; size: number }
    entries++
    if (fs.isDir(mode)) {
      const names = fs.readdir(path).filter((name) => name !== "." && name !== "..")
      waiting.push(
        ...names
          .sort()
          .reverse()
          .slice(0, mostEntries)
          .map((name) => `${path}/${name}`),
      )
    } else if (!fs.isFile(mode)) continue
    else if (files.length >= outputLimits.files || size + bytes > outputLimits.bytes) leftOut++
    else {
      size += bytes
      files.push({ name: path.slice(directory.length + 1), bytes: fs.readFile(path) })
    }
  }
  const megabytes = outputLimits.bytes / 1e6
  if (leftOut === 0) return { files }
  return {
    files,
    note: `${leftOut} files were left out: at most ${outputLimits.files} of ${megabytes} MB in all are shown.`,
  }
}
