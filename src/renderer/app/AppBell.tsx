import { Bell } from "../features/notifications/Bell.tsx"
import { later } from "../lib/later.ts"

export const WaitingCalls = later(
  async () => (await import("../features/chat/parts/calls/ApprovalCard.tsx")).WaitingCalls,
)

/** The bell, with the calls awaiting approval above its list. */
export const AppBell = () => <Bell Waiting={WaitingCalls} />
