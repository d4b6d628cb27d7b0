import { stat } from "node:fs/promises"
import { basename } from "node:path"
import type { ModelPurpose } from "../../../shared/contract/models.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { GgufHeader } from "../../engines/llama/gguf/gguf-header.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"

/** Properties that a model file states about itself. */
export interface InspectedModel {
  sizeBytes: number
  purpose: ModelPurpose | null
  contextSize: number | null
  problem?: string
  /** The sentence behind `problem`. */
  sentence?: SentenceBody
}

/** Maximum number of files whose result is cached: reading a header takes some milliseconds. */
const maxKept = 200
/** llama.cpp's pooling type for a reranking model. */
const rankPooling = 4
const embeddingArchitecture = /bert|embedding|^t5encoder$/
const chatlessArchitecture = /^(clip|mmproj|whisper)$/

/** Reads the headers of model files. Each file is read only once while it doesn't change. */
export function createModelInspector() {
  const known = new Map<string, { stamp: string; inspected: InspectedModel }>()

  /** Never throws: a fault of the file is returned as `problem`. */
  return async function inspect(path: string): Promise<InspectedModel> {
    const stats = await stat(path).catch(() => null)
    if (!stats?.isFile()) {
      return { sizeBytes: 0, ...unusable(sentence("models.file_gone")) }
    }
    const stamp = `${stats.size} ${stats.mtimeMs}`
    const found = known.get(path)
    if (found?.stamp === stamp) return found.inspected
    const inspected = { sizeBytes: stats.size, ...(await read(path)) }
    if (known.size >= maxKept) known.clear()
    known.set(path, { stamp, inspected })
    return inspected
  }
}

const unusable = ({ text, field }: Sentence) => ({
  purpose: null,
  contextSize: null,
  problem: text,
  ...field,
})

async function read(path: string): Promise<Omit<InspectedModel, "sizeBytes">> {
  const { readGgufHeader } = await import("../../engines/llama/gguf/gguf-header.ts")
  try {
    const header = readGgufHeader(path)
    const contextSize = header.metadata.get(`${header.architecture}.context_length`)
    return {
      purpose: detectPurpose(header, basename(path)),
      contextSize: typeof contextSize === "number" ? contextSize : null,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return unusable(error.sentence)
  }
}

/** Throws `unprocessable` for parts of other models. */
function detectPurpose({ architecture, metadata }: GgufHeader, fileName: string): ModelPurpose {
  if (chatlessArchitecture.test(architecture)) {
    throw new AppError("unprocessable", sentence("models.part_for_media"))
  }
  if (Number(metadata.get("split.count") ?? 1) > 1) {
    throw new AppError("unprocessable", sentence("models.one_of_several"))
  }
  const pooling = metadata.get(`${architecture}.pooling_type`)
  if (pooling === rankPooling || /rerank/i.test(fileName)) return "reranking"
  if (embeddingArchitecture.test(architecture)) return "embedding"
  return typeof pooling === "number" && pooling > 0 ? "embedding" : "chat"
}
