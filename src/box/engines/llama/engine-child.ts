import { permissionArguments } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"

/** Variables that GPU drivers and the system's own libraries need, if they are set. */
const inherited = [
  "PATH",
  "HOME",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SystemRoot",
  "LD_LIBRARY_PATH",
  "CUDA_PATH",
  "CUDA_VISIBLE_DEVICES",
  "VK_ICD_FILENAMES",
  "VK_DRIVER_FILES",
  "GGML_VK_VISIBLE_DEVICES",
  "XDG_RUNTIME_DIR",
]

/** Returns the complete environment of a model process: no keys or tokens from the box's environment reach it. */
export function engineEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {
    // llama.cpp's prebuilt binaries start new threads whenever a different libuv worker runs the job. With a single worker the threads
    // stay, and decoding is up to three times faster.
    UV_THREADPOOL_SIZE: "1",
  }
  for (const name of inherited) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/**
 * Rights to find its native code, which depends on the system's libraries, and the model. The process gives up all of these after loading
 * both.
 */
export const engineArguments = (): string[] =>
  permissionArguments({ read: ["*"], addons: true, threads: true })

const maxLineLength = 300

/**
 * Logs the output of a model process's native libraries. Only the first line of each chunk is logged: it has the reason, and later lines
 * may contain a user's text.
 */
export function logOutput(logger: Logger): (text: string) => void {
  return (text) => {
    const line = text.trimStart().split("\n", 1)[0]?.trimEnd() ?? ""
    if (line !== "") logger.warn({ output: line.slice(0, maxLineLength) }, "The model process wrote output")
  }
}
