import { useSession } from "../../data/session.ts"

/** Whether who is signed in owns a workspace of the box. */
export function useOwner(): boolean {
  const { data: session } = useSession()
  return session?.workspaces.some(({ role }) => role === "owner") ?? false
}
