import { createHmac, randomBytes } from "node:crypto"

/** Where boxes that wait offer their work to the one that runs, by WebSocket. */
export const workerPath = "/api/workers"
/** Headers of the request for such a connection: the version of its program, and its kind of work. */
export const workerVersionHeader = "x-casella-version"
export const workKindHeader = "x-casella-work"
/** Header of the request and of its answer: a nonce. */
export const nonceHeader = "x-casella-nonce"
/** Header of the answer: the proof of the box that runs. The proof of the one that waits is the first message, as `{ proof }`. */
export const proofHeader = "x-casella-proof"

/** What a connection is for; it does one thing of it at a time. */
export const workKinds = ["read", "recognise", "embed"] as const
export type WorkKind = (typeof workKinds)[number]

/** What is never said twice: a proof for it is worth nothing for another connection. */
export const newNonce = (): string => randomBytes(32).toString("base64url")

export interface Connection {
  kind: WorkKind
  /** Nonce of the box that waits. */
  waiting: string
  /** Nonce of the box that runs. */
  running: string
}

/** What proves for this connection that a box has the key; each side has a proof of its own, so that neither can give back what it heard. */
export function proofsFor(
  key: Buffer,
  { kind, waiting, running }: Connection,
): Record<"waiting" | "running", string> {
  const proofOf = (side: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([side, kind, waiting, running]))
      .digest("base64url")
  return { waiting: proofOf("waiting"), running: proofOf("running") }
}
