import { z } from "zod"

/** A message of an export; `parent` is null for a chat's first message. */
interface ExportedMessage {
  id: string
  parent: string | null
  /** null: the message itself is ignored, but not its children. */
  role: "user" | "assistant" | null
  text: string
  at: number | null
  model: string | null
}

/** A chat from any of the other programs. */
export interface ExportedChat {
  source: "chatgpt" | "claude" | "openwebui"
  id: string
  title: string
  createdAt: number | null
  updatedAt: number | null
  messages: ExportedMessage[]
  currentId: string | null
  /** Number of images and files that aren't imported. */
  leftOut: number
}

/** Maximum number of messages of a chat that are read, including those without text. A chat that reaches it isn't imported. */
export const maxExamined = 100_000

const text = z.string().nullish().catch(null)
const record = z.record(z.string(), z.unknown()).nullish().catch(null)
const list = z.array(z.unknown()).nullish().catch(null)
const time = z
  .union([z.number(), z.string()])
  .nullish()
  .catch(null)
  .transform((value) => {
    const ms =
      typeof value === "string" ? Date.parse(value) : (value ?? NaN) * ((value ?? 0) > 1e11 ? 1 : 1000)
    return ms > 0 && ms < 8.64e15 / 10 ? Math.floor(ms) : null
  })

const ChatGpt = z.object({
  title: text,
  create_time: time,
  update_time: time,
  conversation_id: text,
  id: text,
  current_node: text,
  mapping: z.record(z.string(), z.unknown()),
})
const ChatGptNode = z.object({
  parent: text,
  message: z
    .object({
      author: z.object({ role: z.string() }),
      content: z.object({ content_type: text, parts: list, text }),
      create_time: time,
      metadata: z
        .object({ model_slug: text, is_visually_hidden_from_conversation: z.unknown() })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
})

const Claude = z.object({
  uuid: z.string(),
  name: text,
  created_at: time,
  updated_at: time,
  current_leaf_message_uuid: text,
  chat_messages: z.array(z.unknown()),
})
const ClaudeMessage = z.object({
  uuid: z.string(),
  text,
  content: list,
  sender: z.string(),
  created_at: time,
  attachments: list,
  files: list,
  parent_message_uuid: text,
})

const OpenWebUiMessage = z.object({
  id: text,
  parentId: text,
  role: z.string(),
  content: z.unknown(),
  timestamp: time,
  model: text,
  files: list,
})
const OpenWebUi = z.object({
  id: z.string(),
  title: text,
  created_at: time,
  updated_at: time,
  chat: z.object({
    title: text,
    history: z
      .object({ currentId: text, messages: z.record(z.string(), z.unknown()) })
      .nullish()
      .catch(null),
    messages: list,
  }),
})

/** Parses a JSON text as a chat; returns null if it isn't JSON, or not from any of the programs. */
export function parseExportedChat(text: string): ExportedChat | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  return toExportedChat(value)
}

const Titled = z.object({ title: text, name: text, chat: z.object({ title: text }).nullish().catch(null) })
/** A title that precedes all nested values, as in the exports of all programs. */
const titleAtStart = /^\s*\{(?:[^{}[\]"]|"(?:[^"\\]|\\.)*")*?"(?:title|name)"\s*:\s*("(?:[^"\\]|\\.)*")/

/** Returns the title of a chat that can't be imported, from its JSON text or the start of it; empty if it has none. */
export function findTitle(json: string): string {
  try {
    const { title, name, chat } = Titled.parse(JSON.parse(json))
    return title ?? name ?? chat?.title ?? ""
  } catch {
    const [, written] = titleAtStart.exec(json) ?? []
    return written === undefined ? "" : parseString(written)
  }
}

function parseString(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return ""
  }
}

/**
 * Parses each value; returns null if one doesn't match. It stops at the first error, because collecting all errors in millions of values
 * would take seconds.
 */
function readEach<T>(schema: z.ZodType<T>, values: readonly unknown[]): T[] | null {
  const read: T[] = []
  for (const value of values.slice(0, maxExamined)) {
    const { success, data } = schema.safeParse(value)
    if (!success) return null
    read.push(data)
  }
  return read
}

/** Parses a chat of any of the programs; returns null if it is from none of them. */
function toExportedChat(value: unknown): ExportedChat | null {
  const object = record.parse(value) ?? {}
  if ("mapping" in object) return parseChatGpt(value)
  if ("chat_messages" in object) return parseClaude(value)
  return parseOpenWebUi(value)
}

function parseChatGpt(value: unknown): ExportedChat | null {
  const chat = ChatGpt.safeParse(value).data
  const id = chat?.conversation_id ?? chat?.id
  const nodes = chat && readEach(ChatGptNode, Object.values(chat.mapping))
  if (!chat || !id || !nodes) return null
  const nodeIds = Object.keys(chat.mapping)
  let leftOut = 0
  const messages = nodes.map(({ parent, message }, index): ExportedMessage => {
    const parts = message?.content.parts ?? []
    const words = parts.filter((part) => typeof part === "string")
    const hidden = message?.metadata?.is_visually_hidden_from_conversation === true
    const kind = message?.content.content_type
    const isCode = kind === "code" && message?.author.role === "assistant"
    const isShown = kind === "text" || kind === "multimodal_text"
    if (isShown && !hidden) leftOut += parts.length - words.length
    return {
      id: nodeIds[index] ?? "",
      parent: parent ?? null,
      role: !hidden && (isShown || isCode) ? getRole(message?.author.role) : null,
      text: isCode ? `\`\`\`\n${message?.content.text ?? ""}\n\`\`\`` : words.join("\n\n"),
      at: message?.create_time ?? null,
      model: message?.metadata?.model_slug ?? null,
    }
  })
  return {
    source: "chatgpt",
    id,
    title: chat.title ?? "",
    createdAt: chat.create_time,
    updatedAt: chat.update_time,
    messages,
    currentId: chat.current_node ?? null,
    leftOut,
  }
}

function parseClaude(value: unknown): ExportedChat | null {
  const chat = Claude.safeParse(value).data
  const given = chat && readEach(ClaudeMessage, chat.chat_messages)
  if (!chat || !given) return null
  const known = new Set(given.map(({ uuid }) => uuid))
  const messages = given.map((message, index): ExportedMessage => {
    const written = (message.content ?? []).flatMap(getText)
    const parent = message.parent_message_uuid
    const before = given[index - 1]?.uuid ?? null
    return {
      id: message.uuid,
      parent: parent ? (known.has(parent) ? parent : null) : before,
      role: message.sender === "human" ? "user" : getRole(message.sender),
      text: written.length > 0 ? written.join("\n\n") : (message.text ?? ""),
      at: message.created_at,
      model: null,
    }
  })
  return {
    source: "claude",
    id: chat.uuid,
    title: chat.name ?? "",
    createdAt: chat.created_at,
    updatedAt: chat.updated_at,
    messages,
    currentId: chat.current_leaf_message_uuid ?? messages.at(-1)?.id ?? null,
    leftOut: given.reduce(
      (sum, { attachments, files }) => sum + (attachments?.length ?? 0) + (files?.length ?? 0),
      0,
    ),
  }
}

function parseOpenWebUi(value: unknown): ExportedChat | null {
  const entry = OpenWebUi.safeParse(value).data
  if (!entry) return null
  const { history } = entry.chat
  const inTree = history && readEach(OpenWebUiMessage, Object.values(history.messages))
  const line = inTree ? [] : (readEach(OpenWebUiMessage, entry.chat.messages ?? []) ?? [])
  const ids = Object.keys(inTree ? (history?.messages ?? {}) : {})
  const given = inTree
    ? inTree.map((message, index) => ({ ...message, id: ids[index] ?? "" }))
    : line.map((message, index, all) => ({
        ...message,
        id: message.id ?? String(index),
        parentId: index === 0 ? null : (all[index - 1]?.id ?? String(index - 1)),
      }))
  return {
    source: "openwebui",
    id: entry.id,
    title: entry.title ?? entry.chat.title ?? "",
    createdAt: entry.created_at,
    updatedAt: entry.updated_at,
    messages: given.map(({ id, parentId, role, content, timestamp, model }) => ({
      id,
      parent: parentId ?? null,
      role: getRole(role),
      text: typeof content === "string" ? content : "",
      at: timestamp,
      model: model ?? null,
    })),
    currentId: (inTree && history?.currentId) ?? given.at(-1)?.id ?? null,
    leftOut: given.reduce((sum, { files }) => sum + (files?.length ?? 0), 0),
  }
}

/** Returns the text of a message part, if it has any. */
function getText(part: unknown): string[] {
  const { type, text } = record.parse(part) ?? {}
  return type === "text" && typeof text === "string" && text !== "" ? [text] : []
}

const getRole = (role: string | undefined) => (role === "user" || role === "assistant" ? role : null)
