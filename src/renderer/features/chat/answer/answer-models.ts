const kept = 500
const models = new Map<string, string>()

/** Remembers which model an answer came from, for as long as the page is open: what is stored doesn't say. */
export function rememberModel(messageId: string, model: string): void {
  models.set(messageId, model)
  const [oldest] = models.keys()
  if (models.size > kept && oldest !== undefined) models.delete(oldest)
}

export const modelOf = (messageId: string): string | undefined => models.get(messageId)
