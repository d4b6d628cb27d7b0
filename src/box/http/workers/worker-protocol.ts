import { createHmac, randomBytes } from "node:crypto"

/** Path at which standby servers offer their work to the active server, by WebSocket. */
export const workerPath = "/api/workers"
/** Headers of the connection request: the program's version and the kind of work. */
export const workerVersionHeader = "x-casella-version"
export const workKindHeader = "x-casella-work"
/** Header of the request and of its response: a nonce. */
export const nonceHeader = "x-casella-nonce"
/** Header of the response: the active server's proof. The standby server's proof is the first message, as `{ proof }`. */
export const proofHeader = "x-casella-proof"

/** Kinds of work. A connection does one job of its kind at a time. */
export const workKinds = ["read", "recognise", "embed"] as const
export type WorkKind = (typeof workKinds)[number]

/** Returns a value that is never used twice, so that a proof for it is worthless for another connection. */
export const newNonce = (): string => randomBytes(32).toString("base64url")

export interface Connection {
  kind: WorkKind
  /** Nonce of the standby server. */
  waiting: string
  /** Nonce of the active server. */
  running: string
}

/**
 * Returns the proofs, for one connection, that a box has the key. Each side has a different proof, so that neither can echo the other's.
 */
export function proofsFor(
  key: Buffer,
  { kind, waiting, running }: Connection,
): Record<"waiting" | "running", string> {
  const getProof = (side: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([side, kind, waiting, running]))
      .digest("base64url")
  return { waiting: getProof("waiting"), running: getProof("running") }
}
