import { createHash } from "node:crypto"

/** A model is its file: the id stays the same as long as the file stays where it is. */
export const modelIdOf = (path: string): string =>
  createHash("sha256").update(path).digest("base64url").slice(0, 22)
