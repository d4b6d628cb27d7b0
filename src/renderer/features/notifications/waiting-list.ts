import type { ComponentType } from "react"

/** Lists what waits for its user's decision; nothing where nothing does. It belongs to the chats. */
export type WaitingList = ComponentType<{ onLeave?: (() => void) | undefined }>
