import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")

/** Modules that can open a connection, or start a program that can. */
const networkModule = new RegExp(
  [
    "^(node:)?(http|https|http2|net|tls|dgram|dns|dns/promises|child_process|inspector)$",
    "^(undici|ws|eventsource|electron-updater)$",
    "^@modelcontextprotocol/client(/stdio)?$",
    "/shared/client/(http|socket)-client\\.ts$",
  ].join("|"),
)
/** Functions of these modules that only listen or inspect text. */
const harmless = new Set(["createServer", "WebSocketServer", "isIP"])
const networkGlobals = new Set(["fetch", "WebSocket", "EventSource", "XMLHttpRequest", "WebTransport"])

/** Files that may connect, and why. New code must use `outbound` and doesn't belong in this list. */
const mayConnect: Record<string, string> = {
  "box/core/outbound/outbound.ts": "the way out itself",
  "box/core/safe-fetch/safe-fetch.ts": "connects for it, with rules of its own about addresses",
  "box/core/children/without-network.ts": "takes it away",
  "box/core/children/sandbox/give-up-rights.ts": "takes programs away",
  "box/engines/llama/process/load-model.ts": "keeps llama.cpp from starting a program",
  "box/core/children/sandbox/system-sandbox.ts":
    "tries the wall that children are started behind: a program of the system, which does nothing",
  "box/core/children/child.ts": "starts the box's own children, which this test covers too",
  "box/core/process/stop-signals.ts": "has a shell kill this very process",
  "box/http/sockets.ts": "sends to apps that came in",
  "box/core/data-directory/instance-lock.ts":
    "asks whether another box runs on this computer, on loopback only",
  "box/start/forwarding.ts":
    "passes on to the box that runs, whose address an owner of the database wrote there",
  "box/start/work-for-running.ts":
    "works for the box that runs, whose address an owner of the database wrote there",
  "box/commands/running-box.ts": "asks the box that runs here",
  "box/commands/mcp.ts": "passes messages on to the box that runs here",
  "box/tools/mcp/connect.ts": "hands the SDK this way's fetch",
  "box/tools/mcp/open-program.ts":
    "starts programs, which `connections.ts` notes, and the shell that ends them",
  "box/tools/mcp/explain.ts": "knows the SDK's errors",
  "box/features/integrations/sign-in/exchange-code.ts": "hands the SDK this way's fetch",
  "box/tools/code-interpreter/lock-down.ts": "takes all of it away",
  "main/updates/open-updater.ts": "its updater is watched",
}

/** Returns the parts of a source that could connect. */
function waysOut(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const declared = new Set<string>()
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) found.push(...imported(node, declared))
    else if ((ts.isVariableDeclaration(node) || ts.isParameter(node)) && ts.isIdentifier(node.name))
      declared.add(node.name.text)
    else if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) declared.add(node.name.text)
    else if (ts.isFunctionDeclaration(node) && node.name) declared.add(node.name.text)
    else if (ts.isCallExpression(node) && isLoader(node)) {
      const [module] = node.arguments
      const isWay = module && ts.isStringLiteralLike(module) && networkModule.test(module.text)
      if (isWay && !takesHarmless(node)) found.push(module.text)
    } else if (ts.isIdentifier(node) && networkGlobals.has(node.text) && isGlobal(node)) found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found.filter((name) => !networkGlobals.has(name) || !declared.has(name))
}

function imported({ importClause, moduleSpecifier }: ts.ImportDeclaration, declared: Set<string>): string[] {
  const module = (moduleSpecifier as ts.StringLiteral).text
  const bindings = importClause?.namedBindings
  if (importClause?.isTypeOnly) return []
  const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : []
  for (const { name } of names) declared.add(name.text)
  const values = names.filter(({ isTypeOnly, propertyName, name }) => {
    return !isTypeOnly && !harmless.has((propertyName ?? name).text)
  })
  const all = importClause?.name !== undefined || (bindings !== undefined && ts.isNamespaceImport(bindings))
  if (module === "electron") return values.filter(({ name }) => name.text === "net").map(() => "electron net")
  return networkModule.test(module) && (all || values.length > 0) ? [module] : []
}

/** For example `const { createServer } = process.getBuiltinModule("node:http")`. */
function takesHarmless({ parent }: ts.CallExpression): boolean {
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return false
  return parent.name.elements.every(({ propertyName, name }) =>
    harmless.has((propertyName ?? name).getText()),
  )
}

const isLoader = ({ expression }: ts.CallExpression) =>
  expression.kind === ts.SyntaxKind.ImportKeyword || /^(require|getBuiltinModule)$/.test(lastName(expression))
const lastName = (node: ts.Node): string =>
  ts.isPropertyAccessExpression(node) ? node.name.text : node.getText()

/** Not the name of a property, a method, a parameter or a type, except a property of `globalThis`. */
function isGlobal(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return /^(globalThis|global|window|self)$/.test(parent.expression.getText())
  const names =
    (ts.isPropertyAssignment(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isBindingElement(parent)) &&
    (parent.name === node || (ts.isBindingElement(parent) && parent.propertyName === node))
  return (
    !names && !ts.isTypeReferenceNode(parent) && !ts.isImportSpecifier(parent) && !ts.isTypeQueryNode(parent)
  )
}

async function sources(): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob("{box,main,preload}/**/*.ts", { cwd: root })) files.push(file)
  return files
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !/\.test\.ts$|\/testing\/|\.d\.ts$/.test(file))
}

describe("network access of the box, its child processes and the desktop program", () => {
  // Catches a connection that local-only allows and that isn't recorded.
  it("happens only in the listed files", async () => {
    const files = await sources()
    expect(files.length).toBeGreaterThan(400)
    const found = files
      .map((file) => [file, waysOut(file, readFileSync(join(root, file), "utf8"))] as const)
      .filter(([file, ways]) => ways.length > 0 && !Object.hasOwn(mayConnect, file))
    expect(found).toEqual([])
    for (const file of Object.keys(mayConnect))
      expect(files, "one that is gone may not either").toContain(file)
  })

  it.each([
    `await fetch("http://x/")`,
    `globalThis.fetch("http://x/")`,
    `const send = fetch`,
    `const options = { fetch }`,
    `new WebSocket("ws://x/")`,
    `import { request } from "node:http"`,
    `import https from "https"`,
    `import * as net from "node:net"`,
    `import { Agent } from "undici"`,
    `import { lookup } from "node:dns/promises"`,
    `import { spawn } from "node:child_process"`,
    `const tls = await import("node:tls")`,
    `const dgram = require("dgram")`,
    `process.getBuiltinModule("node:http")`,
    `const { request } = process.getBuiltinModule("node:http")`,
    `import { net } from "electron"`,
    `import { createClient } from "../../shared/client/http-client.ts"`,
    `import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"`,
  ])("is found: %s", (text) => expect(waysOut("file.ts", text)).not.toEqual([]))

  it.each([
    `import type { Agent } from "undici"`,
    `import { createServer, type Server } from "node:http"`,
    `import { isIP } from "node:net"`,
    `const { createServer } = process.getBuiltinModule("node:http")`,
    `await outbound.fetch(url)`,
    `interface Safe { fetch(url: string): void }`,
    `const safe = { fetch: ask, async other({ fetch: x }) {} }`,
    `async function fetch() {}; await fetch()`,
  ])("isn't reported for harmless code: %s", (text) => expect(waysOut("file.ts", text)).toEqual([]))
})
