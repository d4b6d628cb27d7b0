import { createHash } from "node:crypto"
import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"

/** Whether a reference names a model of a server; otherwise it is the path of a file, or the address that a flag gave. */
export const isServerModel = (reference: string): boolean => parseServerModelId(reference) !== null

/** A model is its file: the id stays the same as long as the file stays where it is. A server's model is its id. */
export const modelIdOf = (reference: string): string =>
  isServerModel(reference)
    ? reference
    : createHash("sha256").update(reference).digest("base64url").slice(0, 22)
