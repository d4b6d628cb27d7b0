import type { ComponentType } from "react"

/** Lists the user's pending decisions; renders nothing if there are none. The chat feature provides it. */
export type WaitingList = ComponentType<{ onLeave?: (() => void) | undefined }>
