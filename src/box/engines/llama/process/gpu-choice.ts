import { mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { z } from "zod"
import { createOneShotChildren } from "../../../core/children/start-child.ts"
import type { SpawnChild } from "../../../core/children/child.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { readSmallFileNow, replaceSmallFileNow } from "../../../core/files/file-contents.ts"
import { engineArguments, engineEnvironment, logOutput } from "../engine-child.ts"
import { fromEngine, type FromEngine, GpuKind, type ToEngine } from "../protocol.ts"
import { engineVersion, fingerprintNativeCode } from "../computer.ts"

/** Maximum time, in milliseconds, for graphics drivers to start. */
const probeMs = 30_000
/** A computer without a usable GPU is probed again after a day, because someone may have installed a driver. */
const recheckDelayMs = 24 * 60 * 60 * 1000

const Memory = z.object({
  /** The probed version. Another version of the engine or another system triggers a new probe. */
  version: z.string(),
  result: z.enum(["works", "none", "failed"]),
  memoryBytes: z.number(),
  at: z.number(),
  /** Native code installed at the time of the probe. Code added later, such as CUDA, may find a GPU. */
  tried: z.string().optional(),
  /** Native code that loaded a model, or that the probe loaded. */
  loaded: z.object({ code: z.string(), gpu: GpuKind }).optional(),
})
type Memory = z.infer<typeof Memory>

/** Decides whether models run on the GPU. A driver that failed once is tried again only on request. */
export interface GpuChoice {
  wanted(): Promise<boolean>
  /** Memory of the GPU in use, in bytes; 0 without a GPU. */
  memoryBytes(): number
  rememberFailure(): void
  /** Records that native code has loaded a model. Without this record, the code is tested at each start of a process. */
  readonly proof?: NativeCodeProof
}

/** Records which native code has loaded a model on this computer, so that it needn't be tested in a separate process again. */
export interface NativeCodeProof {
  /**
   * Returns the kind that loaded a model, with or without a GPU. Returns null if none did, or if its files, the system or the processor
   * have changed.
   */
  kind(shouldUseGpu: boolean): GpuKind | null
  remember(gpu: GpuKind): void
  /** Called after a process failed or ended, so that the next start tests the code again. */
  forget(): void
}

/** The choice for a model that must run on the processor. */
export const disableGpu = ({ proof }: GpuChoice): GpuChoice => ({
  wanted: () => Promise.resolve(false),
  memoryBytes: () => 0,
  rememberFailure: () => undefined,
  ...(proof && { proof }),
})

/** A GPU choice that also reports how it was made. */
export interface TriedGpu extends GpuChoice {
  readonly proof: NativeCodeProof
  /** Returns the result of the probe. Returns null if this version of the engine hasn't been probed yet or is being probed. */
  trial(): Memory["result"] | null
  /** Forgets the result. The next model that loads triggers a new probe. */
  tryAgain(): void
}

export interface GpuChoiceOptions {
  /** File that stores the result. Deleting it triggers a new probe. */
  file: string
  /** Whether the file's directory still belongs to this box. Defaults to always. */
  canWrite?: () => boolean
  spawn: SpawnChild
  logger: Logger
}

export function createGpuChoice({ file, canWrite = () => true, spawn, logger }: GpuChoiceOptions): TriedGpu {
  let memory = read(file)
  let probing: Promise<boolean> | null = null
  const keep = (known: Memory): void => {
    memory = known
    if (!canWrite()) return
    mkdirSync(dirname(file), { recursive: true })
    replaceSmallFileNow(file, JSON.stringify(memory))
  }
  /** If the result can't be saved, for example on a full disk, models still run. */
  const saveIfPossible = (known: Memory): void => {
    try {
      keep(known)
    } catch (error) {
      logger.warn({ err: error }, "The results of the native code test couldn't be stored")
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
      // The probe loaded the code, so the first model needn't test it again.
      loaded: answer && code !== undefined ? { code, gpu: answer.gpu } : undefined,
    })
  }
  const ask = async (): Promise<boolean> => {
    // Written first, so that a driver that crashes the whole computer is not probed a second time.
    remember("failed")
    const answer = await probe(spawn, logger)
    if (answer === null) logger.warn({}, "The graphics driver failed; models run on the processor")
    else remember(answer.gpu === false ? "none" : "works", answer)
    return memory?.result === "works"
  }
  return {
    proof: {
      kind(shouldUseGpu) {
        const { code, gpu = false } = memory?.loaded ?? {}
        const isAsked = code !== undefined && (gpu !== false) === shouldUseGpu
        return isAsked && code === fingerprintNativeCode() ? gpu : null
      },
      remember(gpu) {
        const code = fingerprintNativeCode()
        if (code === null || memory === null) return
        if (memory.loaded?.code !== code || memory.loaded.gpu !== gpu)
          saveIfPossible({ ...memory, loaded: { code, gpu } })
      },
      forget() {
        if (memory?.loaded !== undefined) saveIfPossible({ ...memory, loaded: undefined })
      },
    },
    async wanted() {
      const current = memory
      if (current?.version === engineVersion) {
        if (current.result !== "none") return current.result === "works"
        const isOld = Math.abs(Date.now() - current.at) > recheckDelayMs // a clock that was ahead must not delay the probe
        const isOther = current.tried !== undefined && current.tried !== fingerprintNativeCode()
        if (!isOld && !isOther) return false
      }
      probing ??= ask().finally(() => {
        probing = null
      })
      return probing
    },
    memoryBytes: () => (memory?.result === "works" ? memory.memoryBytes : 0),
    // During the probe, the stored result is "failed", in case the driver crashes the computer.
    trial: () => (probing === null && memory?.version === engineVersion ? memory.result : null),
    tryAgain() {
      memory = null
      if (canWrite()) rmSync(file, { force: true })
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
    return null // missing or damaged: probe again
  }
}

type Probed = Extract<FromEngine, { type: "probed" }>

/** Starts the drivers in a temporary process. Returns null if it died or didn't reply in time. */
async function probe(spawn: SpawnChild, logger: Logger): Promise<Probed | null> {
  await using children = createOneShotChildren(spawn)
  const question = { type: "probe" } satisfies ToEngine
  const options = { env: engineEnvironment(), execArgv: engineArguments(), onOutput: logOutput(logger) }
  const answer = await children
    .ask({ entry: "engine", ...options, question }, fromEngine, AbortSignal.timeout(probeMs))
    .catch(() => null)
  return answer?.type === "probed" ? answer : null
}
