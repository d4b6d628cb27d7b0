/** Where boxes that wait offer their work to the one that runs, by WebSocket. */
export const workerPath = "/api/workers"
/** Headers of such a connection: what proves who offers it, the version of its program, and its kind of work. */
export const workerHeader = "x-casella-worker"
export const workerVersionHeader = "x-casella-version"
export const workKindHeader = "x-casella-work"

/** What a connection is for; it does one thing of it at a time. */
export const workKinds = ["read", "recognise", "embed"] as const
export type WorkKind = (typeof workKinds)[number]
