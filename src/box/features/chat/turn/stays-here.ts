/** What has been read of folders, and which of them no model elsewhere may read. */
export interface StayingDeps {
  /** Those of the folders that stay here, deleted or not. */
  stayingFolders(vectorIds: readonly string[]): Promise<readonly { id: string; name: string }[]>
  /** The folders that a conversation has read so far, and whether one of them stayed here then. */
  readBefore(ownerId: string, chatId: string): Promise<ReadBefore>
  /** The folder of a chat's attachments. */
  ownFolder(ownerId: string, chatId: string): Promise<string | null>
}

export interface ReadBefore {
  vectorIds: string[]
  staysHere: boolean
}

/**
 * Whether what a turn reads stays here: a folder that it asks, or one that its conversation has read, whose words stand
 * in its answers. Once it does it stays so, also when the folder is deleted.
 */
export async function staying(
  deps: StayingDeps,
  { userId, chatId, vectorIds }: { userId: string; chatId: string; vectorIds: readonly string[] },
): Promise<boolean> {
  const before = await deps.readBefore(userId, chatId)
  if (before.staysHere) return true
  const own = await deps.ownFolder(userId, chatId)
  const all = new Set([...vectorIds, ...before.vectorIds, ...(own === null ? [] : [own])])
  return (await deps.stayingFolders([...all])).length > 0
}
