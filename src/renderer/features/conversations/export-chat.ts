import { fetchConversation } from "../../data/chats/conversations.ts"
import { saveFile } from "../../lib/browser/save-file.ts"
import { conversationMarkdown, exportName } from "./conversation-markdown.ts"

/** Saves a chat as a file of Markdown. */
export async function exportChat(chatId: string): Promise<void> {
  const conversation = await fetchConversation(chatId)
  if (conversation)
    saveFile(
      exportName(conversation.title),
      conversationMarkdown(conversation),
      "text/markdown;charset=utf-8",
    )
}
