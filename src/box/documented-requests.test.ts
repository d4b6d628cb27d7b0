import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import openApi from "../../openapi.json" with { type: "json" }
import { ChatEvent } from "../shared/contract/chat.ts"
import { errorStatus } from "../shared/contract/app-error.ts"
import { SocketMessage } from "../shared/contract/socket.ts"
import { notices } from "../shared/sentences/notices.ts"
import { startModelServer, type ModelServer } from "./testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

const docs = join(import.meta.dirname, "../../docs")
const readPage = (page: string) => readFileSync(join(docs, page), "utf8")

/** A request in a page's `http` block, with the response that the page promises. */
interface Example {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  status: number
  /** JSON, or the events of a stream. */
  response: unknown
  isStream: boolean
}

function readExamples(page: string): Example[] {
  return Array.from(readPage(page).matchAll(/^```http\n(.*?)^```$/gms), ([, block = ""]) =>
    readExample(block),
  )
}

/** Parses a request, an empty line, `HTTP/1.1 STATUS`, and a JSON body or `data:` lines. */
function readExample(block: string): Example {
  const [request = "", response = ""] = block.split(/\n\n(?=HTTP\/1\.1 )/)
  const [head = "", ...body] = request.split("\n\n")
  const [line = "", ...headers] = head.split("\n")
  const [method = "", path = ""] = line.split(" ")
  const [statusLine = "", ...rest] = response.trim().split("\n")
  const isStream = rest[0]?.startsWith("data: ") === true
  const text = rest.join("\n")
  return {
    method,
    path,
    headers: Object.fromEntries(headers.map((header) => header.split(/: (.*)/, 2))) as Record<string, string>,
    body: body.join("\n\n"),
    status: Number(statusLine.split(" ")[1]),
    response: isStream
      ? rest.map((event) => JSON.parse(event.slice("data: ".length)) as unknown)
      : JSON.parse(text),
    isStream,
  }
}

/** Words that stand for ids, tokens and the key in examples, as in `FOLDER_ID`. */
const placeholder = /\b(?:KEY|[A-Z]+_(?:ID|TOKEN))\b/g

/** Values of placeholders that earlier responses on the same page had. */
type Known = Map<string, string>

const fill = (text: string, known: Known) =>
  text.replaceAll(placeholder, (name) => {
    const value = known.get(name)
    if (value === undefined) throw new Error(`No earlier response on the page has ${name}.`)
    return value
  })

/**
 * Returns where a response differs from the documented one, which may leave out fields and list entries. `…` matches any text, a time any
 * time and a number any number. An unknown placeholder takes the response's value.
 */
function findDifferences(documented: unknown, actual: unknown, known: Known, at = "response"): string[] {
  if (Array.isArray(documented)) {
    if (!Array.isArray(actual)) return [`${at} isn't a list`]
    return documented.flatMap((entry: unknown, index) => {
      const best = actual
        .map((each: unknown) => findDifferences(entry, each, new Map(known), `${at}[${index}]`))
        .toSorted((a, b) => a.length - b.length)[0]
      if (best === undefined) return [`${at} is empty`]
      const match = actual.find((each: unknown) => findDifferences(entry, each, new Map(known)).length === 0)
      return match === undefined ? best : findDifferences(entry, match, known)
    })
  }
  if (typeof documented === "object" && documented !== null) {
    if (typeof actual !== "object" || actual === null) return [`${at} isn't an object`]
    const values = actual as Record<string, unknown>
    return Object.entries(documented).flatMap(([key, value]) =>
      key in values
        ? findDifferences(value, values[key], known, `${at}.${key}`)
        : [`${at}.${key} is missing`],
    )
  }
  if (typeof documented === "number") return typeof actual === "number" ? [] : [`${at} isn't a number`]
  if (typeof documented === "string" && typeof actual === "string") {
    if (documented === "…" || (isTime(documented) && isTime(actual))) return []
    if (/^[A-Z]+_(?:ID|TOKEN)$/.test(documented) && !known.has(documented)) {
      known.set(documented, actual)
      return []
    }
    documented = fill(documented, known)
  }
  return documented === actual ? [] : [`${at} is ${JSON.stringify(actual)}`]
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema | boolean
}
const schemas = openApi.components.schemas as Record<string, Schema>

/** Returns a schema and all its alternatives, without references. */
function getAlternatives({ $ref, ...schema }: Schema): Schema[] {
  if ($ref !== undefined) return getAlternatives(schemas[$ref.split("/").at(-1) ?? ""] ?? {})
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [schema, ...parts.flatMap(getAlternatives)]
}

/** Returns the fields of a request that its schema doesn't have. Casella ignores unknown fields, so the response wouldn't show a mistake. */
function findUnknownFields(value: unknown, schema: Schema, at = "request"): string[] {
  const alternatives = getAlternatives(schema)
  if (Array.isArray(value)) {
    const items = alternatives.flatMap((each) => each.items ?? [])
    return items.length === 0
      ? []
      : value.flatMap((entry: unknown) => findUnknownFields(entry, { anyOf: items }, `${at}[]`))
  }
  if (typeof value !== "object" || value === null) return []
  const isOpen = ({ additionalProperties: more }: Schema) => more === true || typeof more === "object"
  if (alternatives.some(isOpen) || alternatives.every(({ properties }) => properties === undefined)) return []
  return Object.entries(value).flatMap(([key, field]) => {
    const fields = alternatives.flatMap(({ properties }) => properties?.[key] ?? [])
    return fields.length === 0
      ? [`${at}.${key}`]
      : findUnknownFields(field, { anyOf: fields }, `${at}.${key}`)
  })
}

interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

function findOperation({ method, path }: Example): Operation | undefined {
  const [address = ""] = path.split("?")
  const matches = Object.entries(openApi.paths as Record<string, Record<string, Operation>>).filter(
    ([template]) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(address),
  )
  // A fixed path comes before one with a parameter in the same place.
  const [found] = matches.toSorted(([a], [b]) => a.split("{").length - b.split("{").length)
  return found?.[1][method.toLowerCase()]
}

const pages = ["reference/api.md", "reference/events.md"]
/** The answer of the test's model to every question. */
const answer = "You have 25 days of leave a year [1]."
let server: ModelServer
let box: TestBox
beforeAll(async () => {
  server = await startModelServer(() => ({ text: answer }))
  box = await startTestBox({ model: server.baseUrl })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function send(example: Example, known: Known): Promise<{ status: number; body: unknown }> {
  const isForm = example.headers["content-type"]?.startsWith("multipart/") === true
  const body = fill(isForm ? example.body.replaceAll("\n", "\r\n") : example.body, known)
  const response = await fetch(`${box.url}${fill(example.path, known)}`, {
    method: example.method,
    headers: Object.fromEntries(
      Object.entries(example.headers).map(([name, value]) => [name, fill(value, known)]),
    ),
    ...(body !== "" && { body }),
  })
  const text = await response.text()
  const events = () =>
    Array.from(text.matchAll(/^data: (\{.*\})$/gm), ([, event = ""]) => JSON.parse(event) as unknown)
  return { status: response.status, body: example.isStream ? events() : JSON.parse(text) }
}

/** Maximum wait for work that continues after a response, such as indexing. */
const maxWaitMs = 20_000

/** Sends a request, and a `GET` again until it has the documented response. Returns how it differs. */
async function tryExample(example: Example, known: Known): Promise<string[]> {
  const until = performance.now() + maxWaitMs
  for (;;) {
    const { status, body } = await send(example, known)
    const differences =
      status === example.status
        ? findDifferences(example.response, body, known)
        : [`status ${status}: ${JSON.stringify(body).slice(0, 500)}`]
    if (differences.length === 0 || example.method !== "GET" || performance.now() > until) return differences
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

// Catches an example whose path, field or status isn't what the box has.
test.each(pages)("every request of %s gets its documented response", async (page) => {
  const known: Known = new Map([["KEY", box.key]])
  for (const example of readExamples(page)) {
    const differences = await tryExample(example, known)
    expect(differences, `${example.method} ${example.path}`).toEqual([])
  }
})

// Catches a field or parameter of an example that the box would ignore.
test.each(pages)("every request of %s has only fields of the contract", (page) => {
  for (const example of readExamples(page)) {
    const operation = findOperation(example)
    const name = `${example.method} ${example.path}`
    expect(operation, name).toBeDefined()
    const given = [...new URLSearchParams(example.path.split("?")[1]).keys()]
    const taken = new Set(
      (operation?.parameters ?? []).flatMap((each) => (each.in === "query" ? each.name : [])),
    )
    expect(
      given.filter((each) => !taken.has(each)),
      name,
    ).toEqual([])
    const schema = operation?.requestBody?.content["application/json"]?.schema
    if (schema && example.headers["content-type"] === "application/json")
      expect(findUnknownFields(JSON.parse(example.body), schema), name).toEqual([])
  }
})

/** Returns the first example in JavaScript of a page. */
const readScript = (page: string) => /^```js\n(.*?)^```$/ms.exec(readPage(page))?.[1] ?? ""

/** Runs a script until it ends, or until its output contains a text. Returns its output. */
async function runScript(script: string, until?: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module"], {
    stdio: "pipe",
    cwd: join(docs, ".."),
    env: { ...process.env, CASELLA_URL: box.url, CASELLA_API_KEY: box.key },
  })
  child.stdin.end(script)
  let output = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text
    if (until !== undefined && output.includes(until)) child.kill()
  })
  await once(child, "close")
  return output
}

// Catches a script that doesn't work as it is.
test("the scripts of the pages work", async () => {
  expect(await runScript(readScript("how-to/use-it-from-a-script.md"))).toBe(answer)
  const socket = readScript("reference/events.md").replace("127.0.0.1:8484", new URL(box.url).host)
  expect(await runScript(socket, "unreadCount")).toContain("type: 'hello'")
})

/** Returns the first column of each table row between two headings. */
const namesIn = (text: string) =>
  Array.from(text.matchAll(/^\| (`[^|]+) \|/gm), ([, cell = ""]) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  ).flat()

function section(page: string, heading: string): string {
  const [, level = ""] = /^(#+) /.exec(heading) ?? []
  const after = readPage(page).split(`\n${heading}\n`)[1] ?? ""
  return after.split(new RegExp(`^#{1,${level.length}} `, "m"))[0] ?? ""
}

/** Fields of each type of a union, without `type`. */
const getTypes = (union: typeof ChatEvent | typeof SocketMessage) =>
  Object.fromEntries(
    union.options.map(({ shape: { type, ...fields } }) => [type.value, Object.keys(fields).toSorted()]),
  )

// Catches an event, a message, an error code or a notice that is added, renamed or removed without its documentation.
test("the events page lists every event and message with all fields", () => {
  const headings = Array.from(
    readPage("reference/events.md").matchAll(/^#### `(.+)`$/gm),
    ([, type = ""]) => type,
  )
  const documented = headings.map((type) => [
    type,
    namesIn(section("reference/events.md", `#### \`${type}\``)).toSorted(),
  ])
  expect(Object.fromEntries(documented)).toEqual(getTypes(ChatEvent))

  const rows = section("reference/events.md", "### Messages").matchAll(/^\| `(.+?)` \| (.*?) ?\|/gm)
  const messages = Array.from(rows, ([, type = "", fields = ""]) => [
    type,
    Array.from(fields.matchAll(/`(\w+)`/g), ([, name = ""]) => name).toSorted(),
  ])
  expect(Object.fromEntries(messages.slice(1))).toEqual(getTypes(SocketMessage))
})

test("the API page lists every error code with its status", () => {
  const rows = section("reference/api.md", "## Errors").matchAll(/^\| `(\w+)` \| (\d+) \|/gm)
  expect(Object.fromEntries(Array.from(rows, ([, code, status]) => [code, Number(status)]))).toEqual(
    errorStatus,
  )
})

test("the events page lists every notice", () => {
  const asSent = Object.keys(notices).filter((code) => code !== "message_left_out") // sent as messages_left_out
  expect(namesIn(section("reference/events.md", "### Notices")).toSorted()).toEqual(asSent.toSorted())
})
