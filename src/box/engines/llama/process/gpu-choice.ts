import { mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { z } from "zod"
import { createAskedChildren } from "../../../core/children/ask-child.ts"
import type { SpawnChild } from "../../../core/children/child.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { readSmallFileNow, replaceSmallFileNow } from "../../../core/files/small-file.ts"
import { engineArguments, engineEnvironment } from "../child-environment.ts"
import { logOutput } from "../process-output.ts"
import { fromEngine } from "../from-engine.ts"
import { engineVersion, fingerprintNativeCode } from "../native-code.ts"
import { type FromEngine, GpuKind, type ToEngine } from "../protocol.ts"

/** Longest time that graphics drivers may take to start. */
const probeMs = 30_000
/** A machine without a usable GPU is asked again after a day: somebody may have installed a driver. */
const askAgainMs = 24 * 60 * 60 * 1000

const Memory = z.object({
  /** What was probed; another version of the engine or another system asks anew. */
  version: z.string(),
  result: z.enum(["works", "none", "failed"]),
  memoryBytes: z.number(),
  at: z.number(),
  /** Native code that was installed at the time. Code that was added since, such as CUDA's, may find a GPU. */
  tried: z.string().optional(),
  /** Native code that has loaded a model, or was loaded by the probe. */
  loaded: z.object({ code: z.string(), gpu: GpuKind }).optional(),
})
type Memory = z.infer<typeof Memory>

/** Whether models run on the GPU. A driver that failed once is tried again only when somebody says so. */
export interface GpuChoice {
  wanted(): Promise<boolean>
  /** Memory of the GPU that is in use, 0 when there is none. */
  memoryBytes(): number
  rememberFailure(): void
  /** Keeps what has loaded a model here. Without it, native code is tried at each start of a process. */
  readonly proof?: NativeCodeProof
}

/** Which native code has loaded a model on this computer, so that it needn't be tried in a process of its own again. */
export interface NativeCodeProof {
  /** The kind that did, with a GPU or without; null when none did, or its files, the system or the processor are others now. */
  kind(withGpu: boolean): GpuKind | null
  remember(gpu: GpuKind): void
  /** After a process that failed or ended: the next start tries it again. */
  forget(): void
}

/** For a model that is to run on the processor. */
export const withoutGpu = ({ proof }: GpuChoice): GpuChoice => ({
  wanted: () => Promise.resolve(false),
  memoryBytes: () => 0,
  rememberFailure: () => undefined,
  ...(proof && { proof }),
})

/** A choice that also tells people how it was made. */
export interface TriedGpu extends GpuChoice {
  readonly proof: NativeCodeProof
  /** What came of trying it; null when this version of the engine didn't try it yet, or does at the moment. */
  trial(): Memory["result"] | null
  /** Forgets what came of it: a model that is loaded next has it tried anew. */
  tryAgain(): void
}

export interface GpuChoiceOptions {
  /** Where the answer is kept. Deleting the file asks anew. */
  file: string
  /** Whether the file's directory is still the box's own; always unless given. */
  mayWrite?: () => boolean
  spawn: SpawnChild
  logger: Logger
}

export function createGpuChoice({ file, mayWrite = () => true, spawn, logger }: GpuChoiceOptions): TriedGpu {
  let memory = read(file)
  let probing: Promise<boolean> | null = null
  const keep = (known: Memory): void => {
    memory = known
    if (!mayWrite()) return
    mkdirSync(dirname(file), { recursive: true })
    replaceSmallFileNow(file, JSON.stringify(memory))
  }
  /** Where it can't be kept, as on a full disk, models run all the same. */
  const tryToKeep = (known: Memory): void => {
    try {
      keep(known)
    } catch (error) {
      logger.warn({ err: error }, "What was learnt of the native code couldn't be kept")
    }
  }
  const remember = (result: Memory["result"], answer?: Probed): void => {
    const code = fingerprintNativeCode() ?? undefined
    keep({
      version: engineVersion,
      result,
      memoryBytes: answer?.memoryBytes ?? 0,
      at: Date.now(),
      tried: code,
      // The probe has loaded the code, so the first model needn't try it again.
      loaded: answer && code !== undefined ? { code, gpu: answer.gpu } : undefined,
    })
  }
  const ask = async (): Promise<boolean> => {
    // Written first: a driver that takes the whole machine down is not asked a second time.
    remember("failed")
    const answer = await probe(spawn, logger)
    if (answer === null) logger.warn({}, "The graphics driver failed; models run on the processor")
    else remember(answer.gpu === false ? "none" : "works", answer)
    return memory?.result === "works"
  }
  return {
    proof: {
      kind(withGpu) {
        const { code, gpu = false } = memory?.loaded ?? {}
        const isAsked = code !== undefined && (gpu !== false) === withGpu
        return isAsked && code === fingerprintNativeCode() ? gpu : null
      },
      remember(gpu) {
        const code = fingerprintNativeCode()
        if (code === null || memory === null) return
        if (memory.loaded?.code !== code || memory.loaded.gpu !== gpu)
          tryToKeep({ ...memory, loaded: { code, gpu } })
      },
      forget() {
        if (memory?.loaded !== undefined) tryToKeep({ ...memory, loaded: undefined })
      },
    },
    async wanted() {
      const current = memory
      if (current?.version === engineVersion) {
        if (current.result !== "none") return current.result === "works"
        const isOld = Math.abs(Date.now() - current.at) > askAgainMs // a clock that was ahead is no reason to wait
        const isOther = current.tried !== undefined && current.tried !== fingerprintNativeCode()
        if (!isOld && !isOther) return false
      }
      probing ??= ask().finally(() => {
        probing = null
      })
      return probing
    },
    memoryBytes: () => (memory?.result === "works" ? memory.memoryBytes : 0),
    // While it is tried the memory says that it failed, for a driver that takes the machine down.
    trial: () => (probing === null && memory?.version === engineVersion ? memory.result : null),
    tryAgain() {
      memory = null
      if (mayWrite()) rmSync(file, { force: true })
    },
    rememberFailure() {
      logger.warn({}, "The model failed on the GPU; models run on the processor from now on")
      remember("failed")
    },
  }
}

function read(file: string): Memory | null {
  try {
    return Memory.parse(JSON.parse(readSmallFileNow(file)))
  } catch {
    return null // absent or damaged: ask anew
  }
}

type Probed = Extract<FromEngine, { type: "probed" }>

/** Starts the drivers in a process that is thrown away. Null when it died or said nothing in time. */
async function probe(spawn: SpawnChild, logger: Logger): Promise<Probed | null> {
  await using children = createAskedChildren(spawn)
  const question = { type: "probe" } satisfies ToEngine
  const options = { env: engineEnvironment(), execArgv: engineArguments(), onOutput: logOutput(logger) }
  const answer = await children
    .ask({ entry: "engine", ...options, question }, fromEngine, AbortSignal.timeout(probeMs))
    .catch(() => null)
  return answer?.type === "probed" ? answer : null
}
