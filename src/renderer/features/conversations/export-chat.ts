import { t } from "i18next"
import { fetchConversation } from "../../data/chats/conversations.ts"
import { saveFile } from "../../lib/browser/save-file.ts"
import { conversationMarkdown, exportName } from "./conversation-markdown.ts"

/** Saves chats one after the other in one Markdown file. Deleted chats are skipped. */
export async function exportChats(chatIds: readonly string[]): Promise<void> {
  const documents: string[] = []
  let name = ""
  for (const id of chatIds) {
    const conversation = await fetchConversation(id)
    if (!conversation) continue
    name = exportName(chatIds.length === 1 ? conversation.title : t("frame:chats"))
    documents.push(conversationMarkdown(conversation))
  }
  if (documents.length > 0) saveFile(name, documents.join("\n---\n\n"), "text/markdown;charset=utf-8")
}
