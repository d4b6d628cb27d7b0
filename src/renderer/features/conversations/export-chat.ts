import { t } from "i18next"
import type { Conversation, StoredMessage } from "../../../shared/contract/conversations.ts"
import { fetchConversation } from "../../data/chats/conversations.ts"
import { toFileName, saveFile } from "../../lib/browser/download.ts"
import { citedSources } from "../../ui/markdown/citations.ts"
import { formatFullMoment, formatLocation } from "../../lib/words/format.ts"

/** Returns a chat as a Markdown document, with the cited sources after each answer. */
export function conversationMarkdown({ title, updatedAt, messages }: Conversation): string {
  const body = messages.filter(({ role }) => role !== "system").map(messageMarkdown)
  return `${[`# ${title}`, formatFullMoment(updatedAt), ...body].join("\n\n")}\n`
}

function messageMarkdown({ role, content, parts }: StoredMessage): string {
  const heading = role === "user" ? t("conversations:export.question") : t("conversations:export.answer")
  const sources = parts.filter((part) => part.type === "source")
  const list = citedSources(content, sources).map(({ citation, fileName, location, text }) => {
    const locationLabel = formatLocation(location)
    const origin = locationLabel === "" ? fileName : `${fileName}, ${locationLabel}`
    return `- [${citation}] ${origin}\n${quoted(text)}`
  })
  const listed = list.length === 0 ? [] : [`### ${t("conversations:export.sources")}`, list.join("\n")]
  return [`## ${heading}`, content.trim(), ...listed].join("\n\n")
}

const quoted = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => `  > ${line}`.trimEnd())
    .join("\n")

/** A file name from a chat's title that every operating system accepts. */
export const exportName = (title: string): string => `${toFileName(title, "chat")}.md`

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
