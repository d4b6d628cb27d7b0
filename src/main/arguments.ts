import { parseArgs } from "node:util"
import type { BoxFlags } from "../box/box-config.ts"
import { chatRoute, folderRoute } from "../shared/app-routes.ts"
import { ChatId } from "../shared/contract/chat.ts"

/** Reads the box's flags from a program's arguments and ignores those that Electron and the system add. */
export function readFlags(args: string[]): BoxFlags {
  const { values } = parseArgs({
    args,
    strict: false,
    allowPositionals: true,
    options: {
      port: { type: "string" },
      data: { type: "string" },
      model: { type: "string" },
      "embedding-model": { type: "string" },
      "auth-url": { type: "string" },
      "local-only": { type: "boolean" },
    },
  })
  const { "local-only": localOnly, ...others } = values
  return {
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => typeof value === "string")),
    // Any spelling of the flag turns local-only on.
    ...(localOnly === undefined ? {} : { "local-only": true }),
  }
}

/** Maximum length of a link, and of the text it may prefill. */
const maxLinkLength = 20_000
const maxTextLength = 4_000

/** Sections of the settings that a link may open. */
const settingsSections = new Set([
  "about",
  "appearance",
  "audit",
  "backup",
  "desktop",
  "import",
  "integrations",
  "keys",
  "logs",
  "memory",
  "models",
  "models/installed",
  "models/more",
  "models/servers",
  "network",
  "notifications",
  "people",
  "privacy",
  "storage",
  "support",
  "tool-servers",
  "trash",
  "web-search",
])

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const settings = /^casella:\/\/settings(?:\/([a-z-]+(?:\/[a-z]+)?))?\/?$/i
/** A path is one segment; other characters of an ID are percent-encoded. */
const grammar = /^casella:\/\/([a-z]+)(?:\/([\w.~!$&'()*+,;=:@%-]+))?\/?(?:\?text=([^#&=]*))?$/i

/** Invisible characters are removed, so that users send only what they can read. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Returns the in-app route of a `casella://` link, or null for anything that isn't exactly one of these:
 *
 * casella://chat/<id> casella://folder/<id> casella://new?text=<prefill>
 * casella://settings casella://settings/<section>
 *
 * Chat IDs may contain any character and are percent-encoded.
 *
 * Any web page can open such a link, so it only shows something or fills in text. Nothing is sent, changed or installed.
 */
export function parseDeepLink(link: string): string | null {
  if (link.length > maxLinkLength) return null
  const section = settings.exec(link)
  if (section) return settingsRoute(section[1])
  const match = grammar.exec(link)
  if (!match) return null
  const [, host = "", path, query] = match
  const target = host.toLowerCase()
  if (target === "new") return path === undefined ? newChat(query) : null
  if (query !== undefined) return null
  if (target === "chat" && path !== undefined) return chat(path)
  if (target === "folder" && path !== undefined && uuid.test(path)) return folderRoute(path.toLowerCase())
  return null
}

const settingsRoute = (section: string | undefined): string | null => {
  if (section === undefined) return "/settings"
  return settingsSections.has(section) ? `/settings/${section}` : null
}

function chat(path: string): string | null {
  const id = ChatId.safeParse(decode(path))
  return id.success ? chatRoute(id.data) : null
}

function newChat(query: string | undefined): string | null {
  const text = query === undefined ? "" : decode(query.replaceAll("+", " "))
  if (text === null || text.length > maxTextLength) return null
  const seen = text
    .replace(/\r\n?/g, "\n")
    .replace(invisible, (character) => (/[\n\t]/.test(character) ? character : ""))
  return seen.trim() === "" ? "/" : `/?text=${encodeURIComponent(seen)}`
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null // invalid UTF-8
  }
}

/** Returns the route of the first link among a program's arguments. */
export function routeOfArguments(args: readonly string[]): string | null {
  const link = args.find((argument) => /^casella:/i.test(argument))
  return link === undefined ? null : parseDeepLink(link)
}
