import type { SocketMessage } from "../../shared/contract/socket.ts"

/** Sends a message to the connected apps of some users; null means everyone. Messages between features are events of the bus instead. */
export type Push = (userIds: readonly string[] | null, message: SocketMessage) => void
