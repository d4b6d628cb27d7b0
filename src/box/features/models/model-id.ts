import { createHash } from "node:crypto"
import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"

/** Whether a reference names a server's model; otherwise it is the path of a file, or the URL given by a flag. */
export const isServerModel = (reference: string): boolean => parseServerModelId(reference) !== null

/** The ID of a model file depends on its path: it stays the same while the file isn't moved. A server's model is its own ID. */
export const getModelId = (reference: string): string =>
  isServerModel(reference)
    ? reference
    : createHash("sha256").update(reference).digest("base64url").slice(0, 22)
