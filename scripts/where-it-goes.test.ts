import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { languageCodes } from "../src/shared/languages.ts"

const root = join(import.meta.dirname, "..")
const house = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")

const sources = ["src", "resources", "bench"].flatMap((directory) =>
  readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|json)$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((path) => !/\.(test|spec)\.tsx?$|\/testing\//.test(path)),
)
const texts = sources.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

const inEveryLanguage = (file: string, mentioned: string) =>
  languageCodes.map((code): [string, string] => [`locales/${code}/${file}`, mentioned])

/**
 * An example for each row of "Where it goes". `thing` matches code that refers to it; `files` are the files that may do so, as a part or
 * end of their path and in the row's wording. `its` are the thing's own files, and those that use it.
 */
const examples: { row: string; thing: RegExp; files: [path: string, told: string][]; its?: string[] }[] = [
  {
    row: "an endpoint",
    thing: /\bforgetMissing\b/,
    files: [
      ["shared/contract/folders.ts", "shared/contract/<feature>.ts"],
      ["box/features/folders/", "its handler"],
      ["bench/crash-lab/writers/folders.ts", "bench/crash-lab/writers/"],
    ],
    its: ["box/features/files/", "box/testing/", "renderer/"],
  },
  {
    row: "a setting",
    thing: /\bwholeLimit\b/,
    files: [
      ["shared/contract/settings.ts", "shared/contract/settings.ts"],
      ["box/features/settings/settings.ts", "box/features/settings/settings.ts"],
    ],
    // its control, and those that follow it
    its: [
      "renderer/features/models/sections/InUseSection.tsx",
      "box/compose/chat.ts",
      "box/features/chat/",
      "shared/contract/chat.ts",
      "sentences/reading.ts",
    ],
  },
  {
    row: "a feature",
    thing: /features\/deletions\/|contract\/deletions\.ts|deletions: "deletions"|^ {2}deletions,$/m,
    files: [
      ["shared/contract/api.ts", "api.ts"],
      ["box/compose/", "box/compose/"],
      ["bench/crash-lab/", "bench/crash-lab/registry.ts"],
      ["core/database/table-owners.ts", "table-owners.ts"],
      ["sentences/sentences.ts", "sentences.ts"],
    ],
    its: [
      "box/features/",
      "renderer/",
      "shared/contract/",
      "core/deletable.ts",
      "core/database/people-tables.ts",
      "core/database/enumerated-columns.ts",
    ],
  },
  {
    row: "a figure for programs that watch over the box",
    thing: /\bwaitingForDatabase\b/,
    files: [
      ["box/features/operation/metrics.ts", "features/operation/metrics.ts"],
      ["box/compose/operation.ts", "compose/operation.ts"],
    ],
  },
  {
    row: "a tool",
    thing: /\bgetWeather\b|\/get-weather\.ts/,
    files: [
      ["box/tools/get-weather.ts", "box/tools/"],
      ["box/tools/core-tools.ts", "core-tools.ts"],
      ["shared/contract/tools.ts", "shared/contract/tools.ts"],
      ...inEveryLanguage("assistants.json", "locales/*/assistants.json"),
      ...inEveryLanguage("tools.json", "tools.json"),
      ["chat/parts/calls/call-appearance.ts", "call-appearance.ts"],
    ],
  },
  {
    row: "an integration",
    thing: /\bint_shopify\b/,
    files: [
      ["resources/integrations.json", "resources/integrations.json"],
      ["shared/contract/tools.ts", "shared/contract/tools.ts"],
      ...inEveryLanguage("assistants.json", "locales/*/assistants.json"),
    ],
  },
  {
    row: "a document format",
    thing: /formats\/(csv|json|html)\.ts/,
    files: [["box/parsers/registry.ts", "parsers/registry.ts"]],
    its: ["box/parsers/formats/", "box/parsers/"],
  },
  {
    row: "a connection to another machine",
    thing: /"weather"/,
    files: [
      ["shared/contract/privacy.ts", "shared/contract/privacy.ts"],
      ["features/settings/privacy/", "features/settings/privacy/"],
      ...inEveryLanguage("privacy.json", "locales/*/privacy.json"),
    ],
    its: ["box/tools/get-weather/read-weather.ts"],
  },
  {
    row: "a table or column",
    thing: /\bqueuedQuestions\b/,
    files: [
      ["box/core/database/migrations/", "box/core/database/migrations/"],
      ["core/database/chat-tables.ts", "core/database/*-tables.ts"],
      ["core/database/table-owners.ts", "table-owners.ts"],
      ["core/database/copy-rows.ts", "copy-rows.ts"],
      ["core/database/enumerated-columns.ts", "enumerated-columns.ts"],
      ["core/database/postgres/migrations/", "postgres/migrations/"],
    ],
    its: ["box/features/queue/", "box/core/database/postgres/schema.ts"], // older than any new table
  },
  {
    row: "rows that a restored backup",
    thing: /\bstopQueues\b/,
    files: [["box/compose/adopt-database.ts", "box/compose/adopt-database.ts"]],
    its: ["box/features/queue/", "box/core/database/postgres/schema.ts"], // older than any new table
  },
  {
    row: "something that people delete",
    thing: /"assistant"(?=, (itemId|assistants\.deletable))|assistantDeletions/,
    files: [["box/compose/chat.ts", "box/compose/"]],
    its: ["box/features/assistants/", "renderer/features/assistants/"],
  },
  {
    row: "a tool for other programs' models",
    thing: /\bcreateNotifyTool\b/,
    files: [["box/features/mcp-server/", "box/features/mcp-server/"]],
  },
  {
    row: "a command",
    thing: /"\.\/notify\.ts"|commands\/notify\.ts/,
    files: [["box/commands/registry.ts", "box/commands/registry.ts"]],
  },
  {
    row: "a message to connected apps",
    thing: /type: "support"|literal\("support"\)|=== "support"\) /,
    files: [
      ["shared/contract/socket.ts", "SocketMessage"],
      ["box/compose/open-support.ts", "push"],
      ["renderer/data/live-updates.ts", "data/live-updates.ts"],
    ],
  },
  {
    row: "something the box itself tells",
    thing: /"?folder_indexed"?|\bfolderIndexed\b/,
    files: [
      ["shared/contract/box-news.ts", "shared/contract/box-news.ts"],
      ["features/notifications/system-notifications.ts", "system-notifications.ts"],
      ["features/notifications/system-senders.ts", "system-senders.ts"],
      ["renderer/features/notifications/wording.ts", "wording.ts"],
      ...inEveryLanguage("notifications.json", "locales/*/notifications.json"),
    ],
  },
  {
    row: "a notification category",
    thing: /\bmisconduct\b/,
    files: [
      ["shared/contract/notifications.ts", "shared/contract/notifications.ts"],
      ...inEveryLanguage("notifications.json", "locales/*/notifications.json"),
    ],
  },
  {
    row: "a screen",
    thing: /features\/folders\/FoldersPage\.tsx/,
    files: [["renderer/app/Screens.tsx", "app/Screens.tsx"]],
  },
  {
    row: "a part of the inbox",
    thing: /\brecordings\b/,
    files: [
      ["renderer/lib/navigation/areas.ts", "renderer/lib/navigation/areas.ts"],
      ["renderer/lib/navigation/routes.ts", "routes.ts"],
      ["renderer/locales/", "its strings"],
    ],
  },
  {
    row: "a shortcut",
    thing: /\btoggleSidebar\b/,
    files: [
      ["renderer/lib/keys/shortcut.ts", "renderer/lib/keys/shortcut.ts"],
      ...inEveryLanguage("frame.json", "locales/*/frame.json"),
    ],
    its: ["renderer/app/"],
  },
  {
    row: "a sentence of the box",
    thing: /\bkey_revoked\b/,
    files: [
      ["shared/sentences/queue.ts", "shared/sentences/<feature>.ts"],
      ...inEveryLanguage("sentences/queue.ts", "renderer/locales/*/sentences/<feature>.ts").slice(1), // English is above
    ],
    its: ["box/features/queue/", "box/core/database/postgres/schema.ts"], // older than any new table
  },
  {
    row: "a language",
    thing: /"\.\/it\/it\.ts"|"\.\/it\.json"|"Italiano"|title: "Il collegamento|"Primo avvio"/,
    files: [
      ["shared/languages.ts", "shared/languages.ts"],
      ["renderer/locales/languages.ts", "locales/languages.ts"],
      ["main/strings/", "main/strings/<language>.json"],
      ["box/features/integrations/routes.ts", "features/integrations/routes.ts"],
      ["box/features/accounts/default-names.ts", "features/accounts/default-names.ts"],
    ],
  },
  {
    row: "an OS ability",
    thing: /\bcaptureWindow\b/,
    files: [
      ["shared/ipc-names.ts", "shared/ipc-names.ts"],
      ["shared/ipc.ts", "shared/ipc.ts"],
      ["main/start-desktop.ts", "main/start-desktop.ts"],
    ],
    its: ["main/", "renderer/"],
  },
]

// Catches an addition that needs an edit in a file that ARCHITECTURE.md doesn't name.
test.each(examples)(
  "$row touches the files that ARCHITECTURE.md names",
  ({ row, thing, files, its = [] }) => {
    const line = house.split("\n").find((text) => text.startsWith(`| ${row}`)) ?? ""
    for (const [path, mentioned] of files) expect(line, path).toContain(mentioned)
    const speaking = texts.filter(({ text }) => thing.test(text)).map(({ path }) => path)
    expect(speaking).not.toEqual([])
    const allowed = [...files.map(([path]) => path), ...its]
    expect(speaking.filter((path) => !allowed.some((some) => path.includes(some)))).toEqual([])
  },
)

// Catches a row that no test proves.
test("every row is proved by an example or by its own check", () => {
  const rows = house.split("## Where it goes")[1]?.split("## ")[0] ?? ""
  const first = Array.from(rows.matchAll(/^\| (?!to add|-)([^|]+?) \|/gm), ([, cell = ""]) => cell)
  const left = first.filter((cell) => !examples.some(({ row }) => cell.startsWith(row)))
  expect(left).toEqual([
    "a dependency", // scripts/dependencies.test.ts
    "a measurement", // no file refers to it
    "a fault that data must outlive", // bench/crash-lab/crash-lab.test.ts reads the list
    "a string of the page", // a missing one doesn't compile
    "a `casella://` link", // main/deep-links.test.ts reads the list
  ])
})
