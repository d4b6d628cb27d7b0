import { join } from "node:path"
import type { Plugin } from "vitest/config"

/** A security check, how to remove it from the source, and the tests that must fail without it. */
export interface SecurityCheck {
  name: string
  file: string
  /** Text that occurs once in the file. */
  find: string
  /** The text without the check. It must compile. */
  replace: string
  /** Test files that guard it: each alone needn't fail, but at least one of them must. */
  tests: readonly string[]
}

const at =
  (file: string, tests: readonly string[]) =>
  (name: string, find: string, replace: string): SecurityCheck => ({
    name,
    file: `src/${file}`,
    find,
    replace,
    tests: tests.map((test) => `src/${test}`),
  })

const guard = at("box/http/guard.ts", ["box/http/guard.test.ts"])
const caller = at("box/http/caller.ts", ["box/http/caller.test.ts", "box/scoped-keys.test.ts"])
const unconfirmed = at("box/http/caller.ts", ["box/scoped-keys.test.ts", "box/held-items.test.ts"])
const authenticate = at("box/http/authenticate.ts", [
  "box/http/guard.test.ts",
  "box/http/stolen-session.test.ts",
  "box/http/wrong-keys.test.ts",
])
const sockets = at("box/http/sockets.ts", [
  "box/http/sockets.test.ts",
  "box/http/guard.test.ts",
  "box/http/stolen-session.test.ts",
])
const describedImages = at("box/features/files/descriptions/describe-pictures.ts", [
  "box/features/files/ingestion/descriptions.test.ts",
])
const safeFetch = at("box/core/safe-fetch/safe-fetch.ts", [
  "box/core/safe-fetch/safe-fetch.test.ts",
  "box/core/safe-fetch/public-address.test.ts",
  "box/core/safe-fetch/own-network.test.ts",
])
const outbound = at("box/core/outbound/outbound.ts", ["box/core/outbound/outbound.test.ts"])
const pathJail = at("box/core/files/path-jail.ts", ["box/core/files/path-jail.test.ts"])
const folderAccess = at("box/features/folders/access.ts", [
  "box/isolation.test.ts",
  "box/features/folders/folders.test.ts",
])
const policy = at("box/tools/policy/policy.ts", ["box/tools/policy/policy.test.ts"])
const adoption = (...tests: readonly string[]) =>
  at(
    "box/compose/adopt-database.ts",
    tests.map((test) => `box/${test}`),
  )
const hostileBackup = adoption("hostile-backup.test.ts")
const withheld = at("box/tools/withheld.ts", ["box/scoped-keys.test.ts", "box/tools/withheld.test.ts"])
const chatCheck = at("box/features/chat/turn/check-request.ts", ["box/scoped-keys.test.ts"])

/**
 * The security checks of the program. `npm run test:security` removes each of them in turn. If several checks protect the same thing, and
 * each would suffice, those that can be tested separately have an entry.
 */
export const securityChecks: readonly SecurityCheck[] = [
  // Requests
  guard("the exact list of hosts", "if (!isAllowedHost(request) || countHeader", "if (countHeader"),
  guard("a single Host header", `countHeader(request, "host") !== 1 || `, ""),
  guard("the host of the request line", ` || isForAnother(request)) {`, ") {"),
  guard(
    "loopback names only from this computer",
    "return isLoopbackAddress(at) && (loopback",
    "return (loopback",
  ),
  guard("foreign origins", `throw new AppError("forbidden", sentence("http.origin_refused"))`, "return null"),
  guard(
    "a session only for its own page",
    "if (origin !== undefined && !isOwnOrigin(request, origin)) return false",
    "",
  ),
  guard(
    "a session not for links from other sites",
    `return site === "same-origin" || (site === "none" && isSafe(request.method))`,
    "return true",
  ),
  at("shared/web-origin.ts", ["box/features/settings/settings.test.ts"])(
    "no pattern or null as an allowed origin",
    `if (!url || url.hostname === "" || url.hostname.includes("*")) return null`,
    "if (!url) return address",
  ),
  authenticate("exactly one key", `countHeader(request, "x-api-key") !== 1 || `, ""),
  authenticate("the limit on wrong keys", "wrongKeys.require(request)\n", ""),
  authenticate(
    "the secret of a session",
    "if (session && isProven(request, carrier, session))",
    "if (session)",
  ),
  authenticate("a secret for each session", "return session.isSecret(secret)", "return true"),
  authenticate("a ticket for one session", "ticket.sessionId === sessionId &&", ""),
  authenticate("a ticket for one path", "ticket.path === path &&", ""),
  authenticate("a ticket that is used once", "tickets.delete(key)\n      return", "return"),
  authenticate("one session cookie", "if (values.length > 1)", "if (values.length > 99)"),
  sockets("the guard of the WebSocket", "guard.check(request)\n", ""),
  sockets(
    "scopes of keys on the WebSocket",
    `if (caller.scopes !== null && !caller.scopes.includes("read-only")) {`,
    "if (false) {",
  ),
  sockets(
    "an origin for sessions on the WebSocket",
    `if (caller.via === "session" && request.headers.origin === undefined) {`,
    "if (false) {",
  ),
  at("box/http/live-connections.ts", [
    "box/http/live-connections.test.ts",
    "box/features/accounts/accounts.test.ts",
  ])(
    "revoked credentials end connections",
    "for (const end of byCredential.get(credentialId) ?? []) end()",
    "",
  ),
  at("serve/serve.ts", ["serve/serve.test.ts", "box/http/guard.test.ts"])(
    "responses contain only what the contract declares",
    "return data\n",
    "return value as T\n",
  ),

  // Keys and people
  caller("the scopes of keys", "if (!granted) {", "if (false) {"),
  caller(
    "full rights",
    `if (needsFullRights) throw new AppError("forbidden", sentence("http.full_rights_only"))`,
    "",
  ),
  caller("owners only", `if (endpoint.access === "owner") requireOwner(caller)`, ""),
  caller(
    "folders that a key names",
    "if (!vectorIds || vectorIds.length === 0 || reachesFolders(caller)) return",
    "return",
  ),
  caller(
    "folders reached through a chat",
    `scopes === null || scopes.includes("folders")\n\n/** Throws`,
    "scopes !== undefined\n\n/** Throws",
  ),
  caller(
    "full rights inside features",
    `if (caller.scopes !== null) throw new AppError("forbidden", reason)`,
    "",
  ),
  caller("shared scopes of writer and editor", "one.filter((scope) => other.includes(scope))", "one"),
  caller(
    "rights of changed work",
    "scopes: commonScopes(writer.scopes, editor.scopes)",
    "scopes: writer.scopes",
  ),
  unconfirmed("keys of a backup may not act", "if (isUnconfirmed === true) throw", "if (false) throw"),
  folderAccess(
    "visibility of folders",
    `return folder.visibility === "TEAM" && (await`,
    "return true || (await",
  ),
  folderAccess(
    "folders are changed by their owner",
    `if (right === "write" && folder.ownerId !== userId) {`,
    "if (false) {",
  ),
  at("box/features/assistants/service.ts", ["box/scoped-keys.test.ts"])(
    "sharing an assistant's folders",
    "if (widens && before && vectorIds === undefined) requireFolderScope(editor, stored)",
    "",
  ),
  at("box/features/assistants/service.ts", ["box/scoped-keys.test.ts"])(
    "folders added to a shared assistant with an unconfirmed key",
    "if (widens || vectorIds?.some((id) => !stored.includes(id))) requireConfirmed(editor)",
    "if (widens) requireConfirmed(editor)",
  ),
  at("box/features/assistants/service.ts", ["box/scoped-keys.test.ts"])(
    "sharing an assistant's accounts",
    "if (Object.entries(flags ?? {}).some(([key, isOn]) => isOn && isLinkedKey(key)))",
    "if (false)",
  ),
  at("box/features/assistants/service.ts", ["box/scoped-keys.test.ts"])(
    "a key never waives approvals",
    "if (waives) requireFullRights",
    "if (false) requireFullRights",
  ),
  at("box/features/assistants/service.ts", ["box/scoped-keys.test.ts"])(
    "the mark of assistants that a key wrote",
    "return isWritten ? { writtenByScopedKey: 1 } : {}",
    "return {}",
  ),
  at("box/features/automations/checks.ts", ["box/scoped-keys.test.ts"])(
    "running a person's automation with a key",
    "if (caller.scopes === null) return\n",
    "return\n",
  ),
  at("box/features/automations/checks.ts", ["box/scoped-keys.test.ts"])(
    "a webhook of a revoked key",
    "if (await deps.isRevoked(starter.credentialId))",
    "if (false)",
  ),
  at("box/features/automations/routes.ts", ["box/scoped-keys.test.ts"])(
    "file names in runs",
    `if (reachesFolders(caller) || !("fileName" in run.cause)) return run`,
    "return run",
  ),
  at("box/features/queue/asker.ts", ["box/features/queue/queue.test.ts"])(
    "a queued question of a revoked key",
    `if (caller.via === "key" && (await deps.isRevoked(caller.credentialId)))`,
    "if (false)",
  ),
  at("box/features/deletions/service.ts", ["box/scoped-keys.test.ts"])(
    "restoring with a key",
    "for (const { kind } of found) requireRight(caller, kind)",
    "",
  ),
  at("box/features/chat/routes.ts", ["box/scoped-keys.test.ts"])(
    "moving a chat to a project",
    "if (body.projectId !== undefined) requireFullRights",
    "if (false) requireFullRights",
  ),
  at("box/features/chat/routes.ts", ["box/scoped-keys.test.ts"])(
    "named files, filters and attachments in messages",
    "readsFolders(caller) ? {} : { askedFiles: null, filter: null, attachments: null }",
    "{}",
  ),
  at("box/compose/queued-names.ts", ["box/scoped-keys.test.ts", "box/compose/queued-names.test.ts"])(
    "names in queued questions",
    "isKnown ? hideFileNames(entry.content, names)",
    "isKnown ? entry.content",
  ),
  at("box/compose/queued-names.ts", ["box/compose/queued-names.test.ts"])(
    "names of deleted files in queued questions",
    "getIds(entry).every((id) => named.has(id))",
    "getIds(entry).every((id) => named.has(id) || true)",
  ),
  at("box/features/queue/service.ts", ["box/scoped-keys.test.ts"])(
    "names in the previews of queues",
    "if (readsFolders(caller)) return { chats }",
    "if (caller) return { chats }",
  ),
  at("box/features/chat/transcript/message-parts.ts", ["box/scoped-keys.test.ts"])(
    "names of attachments in questions",
    "...(readAttachments(message.attachments) ?? [])",
    "",
  ),
  at("box/features/chat/routes.ts", ["box/scoped-keys.test.ts"])(
    "events of a stream that a key follows",
    "const visible = shown(event)",
    "const visible = event",
  ),
  at("box/features/chat/service.ts", ["box/scoped-keys.test.ts"])(
    "files that tools made",
    "if (!answers.some((parts) => showsFile(caller, parts, fileId, hasRead))) throw fileNotFound()",
    "",
  ),
  withheld("passages in messages", "if (isOfFolders(part) && !readsFolders(caller)) return null", ""),
  withheld(
    "quotations in messages",
    "if (isQuoted && isText(part) && !readsFolders(caller)) return null",
    "",
  ),
  withheld("results of folder tools", "if (!readsFolders(caller)) return { ...part, result: noFolders }", ""),
  withheld(
    "arguments of folder tools",
    "return isCopied || isOfFolderTool(part) ? { ...part, args: {} } : part",
    "return part",
  ),
  withheld(
    "results of connected accounts",
    "if (toolName === undefined) return { ...part, result: noAccounts }",
    "if (toolName === undefined) return part",
  ),
  withheld("names in approvals", "if (readsFolders(caller)) return approval\n", "return approval\n"),
  withheld(
    "names of images in errors",
    "if (isError(part) && !readsFolders(caller)) return hideAttachment(part)",
    "",
  ),
  withheld("names in progress", "if (isProgress(part) && !readsFolders(caller)) return", "if (false) return"),
  chatCheck(
    "an assistant's folders",
    "reachesFolders(caller) ? (assistant?.vectorIds ?? []) : []",
    "(assistant?.vectorIds ?? [])",
  ),
  chatCheck("a project's folders", "reachesFolders(caller) ? project.vectorIds : []", "project.vectorIds"),
  chatCheck(
    "folders that a question names",
    "requireFolderScope(caller, vector)\n  const assistant",
    "const assistant",
  ),
  chatCheck("files that a question names", "requireFolderScope(caller, fileIds)\n", ""),
  chatCheck(
    "tools of accounts that a question names",
    "if (leavesOutAccounts(caller, { builtInTools }))",
    "if (false)",
  ),
  chatCheck(
    "attachments",
    "reachesFolders(caller) ? await box.uploads(ownerId, id) : []",
    "await box.uploads(ownerId, id)",
  ),
  at("box/features/mcp-server/service.ts", ["box/mcp-server.test.ts"])(
    "scopes of other programs' tools",
    "if (!tool || !mayCall(caller, tool))",
    "if (!tool)",
  ),
  at("box/features/questions/service.ts", ["box/features/questions/questions.test.ts"])(
    "questions are answered in the app",
    `if (caller.via !== "session") throw`,
    "if (false) throw",
  ),
  at("box/features/questions/service.ts", ["box/features/questions/questions.test.ts"])(
    "questions of others",
    "row.ownerId === userId && (seesAll(scopes) || row.askedWith === credentialId)",
    "userId !== credentialId && scopes !== undefined && row !== undefined",
  ),
  at("box/features/notifications/routes.ts", ["box/features/notifications/sending.test.ts"])(
    "the rate of notifications",
    "if (recipient !== caller.userId) countSent(caller)",
    "",
  ),
  at("box/features/notifications/sending.ts", ["box/features/notifications/senders.test.ts"])(
    "what a sender learns from the response",
    "if (!isFromAnother(sent)) return presentStored(stored)",
    "return presentStored(stored)",
  ),
  at("box/features/settings/settings.ts", ["box/features/settings/settings.test.ts"])(
    "settings of the server are the owner's",
    "if (toRows(body, BoxSettings.shape).length > 0) requireOwner(caller)",
    "",
  ),
  at("box/features/folders/service.ts", ["box/scoped-keys.test.ts", "box/local-folders.test.ts"])(
    "letting remote models read a folder",
    "if (isRemoteNewlyAllowed) requireFullRights",
    "if (false) requireFullRights",
  ),
  at("box/features/folders/service.ts", ["box/image-descriptions.test.ts"])(
    "a folder with descriptions of images needs full rights",
    'if (draft.images === "description") requireMayDescribe(caller)',
    "",
  ),
  at("box/features/folders/service.ts", ["box/image-descriptions.test.ts"])(
    "turning on descriptions of images needs full rights",
    'if (changed.images === "description" && row.images !== "description") requireMayDescribe(caller)',
    "",
  ),
  at("box/features/folders/service.ts", ["box/image-descriptions.test.ts"])(
    "costs of image descriptions are for the folder's owner",
    "deps.estimateImageCosts((await edits.findOwned(userId, id)).id)",
    "deps.estimateImageCosts(id)",
  ),
  at("box/features/files/descriptions/describe-pictures.ts", ["box/image-descriptions.test.ts"])(
    "images of a folder that stays here",
    "const isKept = (await deps.staying([folderId])).length > 0",
    "const isKept = false",
  ),
  at("box/features/files/descriptions/describe-pictures.ts", ["box/image-descriptions.test.ts"])(
    "descriptions of images count towards limits",
    "await quota.countAnswer(ownerId)",
    "",
  ),
  describedImages("the mark of descriptions", "describedMark + described.text", "described.text"),
  describedImages("the length of descriptions", "if (line.length <= maxLength) return line", "return line"),
  describedImages("descriptions are one line", '.replaceAll(unwanted, " ")', ""),
  at("box/features/files/descriptions/description-store.ts", [
    "box/features/files/ingestion/descriptions.test.ts",
  ])("descriptions of other files", '.where("fileId", "=", fileId)', ""),
  at("box/features/chat/grounding/fit-passages.ts", ["box/features/chat/grounding/merge-neighbours.test.ts"])(
    "descriptions aren't cited as text of documents",
    'location.described ? "/described" : ""',
    '""',
  ),
  at("box/features/retrieval/chunker.ts", ["box/features/retrieval/chunker.test.ts"])(
    "passages of descriptions",
    "a.described === b.described &&",
    "",
  ),
  at("box/features/facts/scan-file.ts", ["box/features/facts/scan-file.test.ts"])(
    "descriptions aren't facts",
    "if (block.location.described) continue",
    "",
  ),
  at("box/features/folders/service.ts", [
    "box/features/folders/watched-directory.test.ts",
    "box/isolation.test.ts",
  ])("directories are followed by owners", "if (draft.folder) requireOwner(caller)", ""),
  at("box/features/integrations/servers.ts", ["box/features/integrations/integrations.test.ts"])(
    "programs are run by owners",
    "if ((isCommand || isLocal) && !(await isOwner(userId))) {",
    "if (false) {",
  ),

  // Documents that stay here
  at("box/features/retrieval/search.ts", [
    "box/local-folders.test.ts",
    "box/local-folders-indirect.test.ts",
    "box/features/retrieval/search.test.ts",
  ])(
    "remote embedding of folders that stay here",
    "if (forbidden && (staysHere || vectorIds.every((id) => forbidden.has(id)))) {",
    "if (false) {",
  ),
  at("box/features/chat/turn/check-request.ts", [
    "box/local-folders.test.ts",
    "box/local-folders-indirect.test.ts",
  ])(
    "a chat that has read a folder that stays here",
    "if (isRemote && vectorIds.length === 0 && (await mustStay(deps, caller.userId, request.id)))",
    "if (false)",
  ),
  at("box/features/filing/planning.ts", ["box/features/filing/filing.test.ts"])(
    "moving out of a folder that stays here",
    "return !(await this.#deps.staysHere(from)) || (await this.#deps.staysHere(to))",
    "return from !== undefined && to !== undefined",
  ),
  at("box/features/filing/service.ts", ["box/features/filing/filing.test.ts"])(
    "undoing a move out of a folder that stays here",
    "if (!(await this.#planner.canMove(stateAfter.vectorId, stateBefore.vectorId))) throw mustStay(folder)",
    "",
  ),
  at("box/compose/open-filing.ts", [
    "box/filing-asked.test.ts",
    "box/filing-clerk.test.ts",
    "box/local-folders-indirect.test.ts",
    "box/local-folders.test.ts",
  ])("notes of a chat that stays here", "if (!(await chat.staysHere())) return", "return"),
  at("box/core/files/generated-files.ts", ["box/generated-files.test.ts"])(
    "generated files are no evidence",
    `generated === "all" || generated.includes(fileId)`,
    `generated === "all" || fileId !== undefined`,
  ),

  // Other machines
  safeFetch(
    "public addresses only",
    "isOwnHost || (isPublicAddress(address) && !isOnOwnNetwork(address)) || permits(address, port)",
    "true",
  ),
  safeFetch(
    "this computer's own network",
    "isPublicAddress(address) && !isOnOwnNetwork(address)",
    "isPublicAddress(address)",
  ),
  safeFetch(
    "addresses of names",
    "if (!found.every(({ address }) => mayConnect(address))) throw notPublic()",
    "",
  ),
  safeFetch("addresses of the cloud's machines", " && !cloudAddresses.has(address)", ""),
  safeFetch(
    "addresses that contain IPv4 addresses",
    "return parsed.zoneId === undefined && parsed.match(globalUnicast) && !isIsatap",
    "return true || isIsatap",
  ),
  safeFetch("the size of a response", "if (size > maxBytes)", "if (size > 10 * maxBytes)"),
  safeFetch("redirects are checked", "url = parseAllowedUrl(location, url)", "url = new URL(location, url)"),
  safeFetch(
    "passwords in addresses",
    `if (url.username !== "" || url.password !== "") throw wrong("core.address_with_password")`,
    "",
  ),
  safeFetch(
    "headers stay with the first server",
    "const staysThere = request.headers !== undefined || ",
    "const staysThere = ",
  ),
  outbound(
    "local-only",
    "if (!localOnly.on || (url && isLoopbackHost(url.hostname))) return null",
    "return null",
  ),
  outbound("programs in local-only", "if (!localOnly.on || localOnly.programs) return null", "return null"),

  // Files
  pathJail("parent directories in paths", "if (/^[. ]*$/.test(seenBySystems)) throw", "if (false) throw"),
  pathJail("absolute paths", "if (/^[\\\\/]/.test(text)) throw", "if (false) throw"),
  pathJail("device names", "if (isDevice(part))", "if (false)"),
  pathJail(
    "links in paths",
    "if (!found.isDirectory()) throw outside()\n  }\n  return join(root, ...names)",
    "void found\n  }\n  return join(root, ...names)",
  ),
  pathJail(
    "unsafe names in the database",
    `name === "" || name === "." || name === ".." || /[/\\0]/.test(name) || name.includes(sep)`,
    "name === undefined",
  ),
  at("box/core/files/path-jail.ts", [
    "box/core/files/path-jail.test.ts",
    "box/features/files/ingestion/read-job.test.ts",
  ])(
    "links swapped in while a file is opened",
    "if (!opened.isFile() || !inside || named.ino !== opened.ino || named.dev !== opened.dev) throw outside()",
    "void inside",
  ),

  // The agent
  policy(
    "undeclared effects",
    "if (effects.length === 0 || effects.some((effect) => !knownEffects.has(effect)))",
    "if (false)",
  ),
  policy("dry runs", `if (standing.refuses === "dryRun" && `, "if (false && "),
  policy("remembered approvals and addresses", `(remembered && found.code !== "address")`, "remembered"),
  policy("calls that write", `if (effects.includes("write")) return pause`, "if (false) return pause"),
  policy(
    "words after private documents",
    "const fault = parts === undefined ? tooDeep : judgeWords(parts, knowledge.userWords)",
    "const fault = parts === undefined ? tooDeep : null",
  ),
  policy("addresses after private documents", "if (!next?.has(address)) {", "if (false) {"),
  policy("addresses after untrusted text", "return unknown === undefined\n", "return unknown !== null\n"),
  at("box/tools/policy/standing.ts", [
    "box/features/chat/tool-calls/injection.test.ts",
    "box/tools/policy/policy.test.ts",
  ])(
    "another person's assistant that doesn't ask",
    `const isForeign = permissionMode === "bypass" && !mayWaive`,
    "const isForeign = false && !mayWaive",
  ),
  at("box/tools/policy/standing.ts", [
    "box/features/chat/turn/delegation/delegate.test.ts",
    "box/tools/policy/policy.test.ts",
  ])(
    "a task is judged as strictly as its giver",
    "mode: strictness.indexOf(given) > strictness.indexOf(own) ? given : own",
    "mode: strictness.indexOf(given) > 99 ? given : own",
  ),
  at("box/features/chat/turn/assistant-tools.ts", ["box/scoped-keys.test.ts"])(
    "words of keys in an assistant that doesn't ask",
    `mode === "bypass" && mayWaive && isByScopedKey ? "auto" : mode`,
    "isByScopedKey ? mode : mode",
  ),
  at("box/features/chat/turn/assistant-tools.ts", ["box/scoped-keys.test.ts"])(
    "approvals are waived with full rights only",
    "const mayWaive = assistant?.owned === true && hasFullRights(rights)",
    "const mayWaive = assistant?.owned === true || hasFullRights(rights)",
  ),
  at("box/features/chat/turn/assistant-tools.ts", ["box/scoped-keys.test.ts"])(
    "accounts of an assistant",
    "const reached = hasFullRights(request) ? flags : flags.filter(([key]) => !isLinkedKey(key))",
    "const reached = hasFullRights(request) ? flags : flags.filter(([key]) => key !== undefined || isLinkedKey(key))",
  ),
  at("box/features/chat/turn/turn-tools.ts", ["box/scoped-keys.test.ts"])(
    "approvals remembered for a chat",
    "hasFullRights(request) && !request.isByScopedKey ? await ports.rememberedTools() : new Map()",
    "hasFullRights(request) || !request.isByScopedKey || request ? await ports.rememberedTools() : new Map()",
  ),
  at("box/features/chat/turn/turn-tools.ts", ["box/scoped-keys.test.ts"])(
    "what a model reads again for a key",
    "const shown = createPartRedactor(request, hasReadFolders)",
    "const shown = createPartRedactor({ ...request, scopes: null }, hasReadFolders)",
  ),
  at("box/features/chat/turn/turn-tools.ts", ["box/scoped-keys.test.ts"])(
    "folders of a delegated task",
    "vectorIds: reachesFolders(request) ? assistant.vectorIds : [],",
    "vectorIds: assistant.vectorIds,",
  ),
  at("box/features/chat/turn/scoped-key-words.ts", ["box/scoped-keys.test.ts"])(
    "facts that a key wrote",
    "if (await box.hasFactsOfScopedKeys(userId)) return true",
    "",
  ),
  at("box/features/chat/turn/scoped-key-words.ts", ["box/scoped-keys.test.ts"])(
    "assistants and chats that a key wrote",
    "if (turn.assistant?.isByScopedKey === true || (await transcript.isByScopedKey(userId, chatId))) return true",
    "",
  ),
  at("box/features/chat/transcript/append-turn.ts", [
    "box/features/chat/import/imported-words.test.ts",
    "box/features/chat/transcript/edited-questions.test.ts",
  ])(
    "imported words that are edited",
    "return texts.every((text) => content.includes(text)) ? texts : [content]",
    "return texts.filter((text) => content.includes(text))",
  ),
  at("box/features/integrations/functions.ts", ["box/features/integrations/chat.test.ts"])(
    "tools of servers run as they were approved",
    "if (isChanged({ ...stored, offer }) || !offer.definitions.some((offered) => offered.hash === hash))",
    "if (hash === undefined)",
  ),
  at("box/features/tables/asking/answer-query.ts", ["box/features/tables/asking/table-asker.test.ts"])(
    "tables that a query may not open",
    "if (opensForbiddenTables(database, sql))",
    "if (sql === undefined && opensForbiddenTables(database, sql))",
  ),
  at("shared/words/csv.ts", [
    "box/features/privacy/privacy.test.ts",
    "auth-service/features/tickets/tickets.test.ts",
  ])("formulas in CSV", `text.replaceAll(formulas, "$1'$2")`, `text.replaceAll(formulas, "$&")`),
  at("renderer/lib/words/visible-text.ts", ["renderer/lib/words/visible-text.test.ts"])(
    "deceptive characters",
    "if (plain.has(character)) return character",
    "return character",
  ),
  at("renderer/features/chat/parts/calls/ApprovalCard.tsx", [
    "renderer/features/chat/parts/calls/unclear-addresses.test.ts",
  ])(
    "look-alike addresses in approvals",
    "if (url !== null && shownHost === url.hostname) return []",
    "if (url !== null || shownHost !== null) return []",
  ),
  at("renderer/ui/text/ForeignLink.tsx", [
    "renderer/ui/text/foreign-links.test.tsx",
    "renderer/ui/markdown/markdown-safety.test.tsx",
  ])(
    "protocols of links",
    "parsed && allowedProtocols.has(parsed.protocol) ? parsed : undefined",
    "parsed ?? undefined",
  ),
  at("renderer/ui/text/ForeignLink.tsx", [
    "renderer/ui/text/foreign-links.test.tsx",
    "renderer/ui/markdown/markdown-safety.test.tsx",
  ])("the host of links", "{!isPlainly(children, url, host) && (", "{url === null && ("),
  at("renderer/ui/markdown/markdown-elements.tsx", ["renderer/ui/markdown/markdown-safety.test.tsx"])(
    "elements in answers",
    "if (!allowed.has(element.tagName)) {",
    "if (element.tagName === undefined) {",
  ),
  at("main/guards/allowed-addresses.ts", ["main/guards/open-external.test.ts"])(
    "programs started by links",
    "if (!parsed || !allowedProtocols.has(parsed.protocol)) return false",
    "if (!parsed) return false",
  ),
  at("main/guards/allowed-addresses.ts", ["main/guards/trusted-address.test.ts"])(
    "the page's exact origin",
    "parsed.origin === new URL(boxUrl).origin &&",
    "parsed.href.startsWith(new URL(boxUrl).origin) &&",
  ),

  // Restoring a backup
  hostileBackup("settings of a backup", "await holdSettings(values)\n", ""),
  hostileBackup("followed directories of a backup", "await holdFolders(db)\n", ""),
  hostileBackup(
    "directories of managed folders",
    'const folders = await adoptFolders(ownTables<"folders">(trx), dataDir)',
    "const folders: { id: string; directory: string }[] | null = []",
  ),
  hostileBackup("programs and MCP servers of a backup", "await unlinkServers(db, values)\n", ""),
  hostileBackup("model servers of a backup", "await holdModelServers(db)\n", ""),
  hostileBackup("sessions of a backup", "await endSessions(db)\n", ""),
  hostileBackup("keys of a backup", "await holdKeys(db)\n", ""),
  adoption("features/accounts/provider/restored-owners.test.ts")(
    "owners of a backup",
    "await holdOwners(db, values)\n",
    "",
  ),
  hostileBackup("approvals of a backup", "await denyRestoredApprovals(db)\n", ""),
  adoption("features/storage/restore.test.ts")(
    "circles of messages in a backup",
    "await cutCircles(db)\n",
    "",
  ),
  adoption("compose/adopt-database.test.ts")("queues of a backup", "await stopQueues(db)\n", ""),
  hostileBackup("automations of a backup", "await holdAutomations(db)\n", ""),
  hostileBackup("assistants of a backup that don't ask", "await restrictAssistants(db)\n", ""),
  hostileBackup("images of a backup", "await removePictures(db)\n", ""),
  adoption("hostile-rows.test.ts")("support tickets of a backup", "await stopReports(db)\n", ""),
  adoption("compose/adopt-database.test.ts")(
    "unfinished turns of a backup",
    "await forgetUnfinishedTurns(db)\n",
    "",
  ),
  adoption("compose/adopt-database.test.ts")(
    "secrets in rows of a backup",
    "await forgetSecretRows(values)",
    "void forgetSecretRows",
  ),
  adoption("compose/adopt-database.test.ts")(
    "ids of a backup",
    "if (await hasForeignIds(db)) return null",
    "",
  ),
  adoption("hostile-rows.test.ts")("invalid values of a backup", "await correctEnumeratedColumns(db)\n", ""),
  adoption("compose/adopt-database.test.ts")(
    "unsafe numbers of a backup",
    "await removeUnsafeNumbers(db)\n",
    "",
  ),
  adoption("hostile-rows.test.ts")("foreign ids of a backup", "await removeForeignIds(db)\n", ""),
  adoption("hostile-rows.test.ts")("quotas of a backup", "await clampQuotas(db)\n", ""),
  adoption("compose/adopt-database.test.ts")(
    "files of a backup",
    "if (!(await correctFiles(db))) return null",
    "",
  ),
  adoption("compose/adopt-database.test.ts")("deletions of a backup", "await endDeletions(db)\n", ""),
  adoption("compose/adopt-database.test.ts")("objects of a backup", "await protectObjects(db)\n", ""),
  adoption("compose/adopt-database.test.ts", "features/storage/salvage.test.ts")(
    "network access of another location",
    'await createBoxValues(ownTables<"core">(trx)).remove(...locationKeys)',
    "",
  ),
  at("box/features/storage/unpack-backup.ts", [
    "box/hostile-backup.test.ts",
    "box/features/storage/restore.test.ts",
  ])("the schema of a backup", "await copyDatabase(database, checker)", "void copyDatabase"),
  at("box/features/storage/unpack-backup.ts", ["box/features/storage/restore.test.ts"])(
    "paths in a backup",
    "if (++entries > maxEntries || !isBackupPath(path, entry)) fault ??= notABackup()",
    "",
  ),
  at("box/features/storage/unpack-backup.ts", ["box/features/storage/restore.test.ts"])(
    "the size of a backup",
    `if (bytes > room) fault ??= new AppError("disk_full", sentence("storage.no_room_to_unpack"))`,
    "",
  ),
  at("box/features/storage/held-items.ts", ["box/features/storage/held-items.test.ts"])(
    "held items are decided in the app",
    `if (via !== "session") throw new AppError`,
    "if (false) throw new AppError",
  ),
  at("box/features/storage/held-items.ts", ["box/held-items.test.ts"])(
    "held items are as they were shown",
    "if (!found || !isDeepStrictEqual(await present(found), shown)) continue",
    "if (!found) continue",
  ),

  // The auth service
  at("auth-service/http/authenticate.ts", [
    "auth-service/http/credentials.test.ts",
    "auth-service/features/tickets/tickets.test.ts",
  ])(
    "permissions of cloud keys",
    `if (action !== undefined && permissions !== null && permissions["tickets"]?.includes(action) !== true) {`,
    "if (permissions === undefined) {",
  ),
  at("auth-service/http/authenticate.ts", [
    "auth-service/http/credentials.test.ts",
    "auth-service/features/tickets/tickets.test.ts",
  ])("the queue is for support staff", "if (staff && !caller.staff) {", "if (staff && caller === null) {"),
  at("auth-service/http/authenticate.ts", [
    "auth-service/http/credentials.test.ts",
    "auth-service/features/accounts/accounts.test.ts",
  ])(
    "accounts are managed by people",
    "if (jwtOnly && caller.key !== null) {",
    "if (jwtOnly && caller === null) {",
  ),
  at("auth-service/http/authenticate.ts", ["auth-service/http/credentials.test.ts"])(
    "one credential of the auth service",
    "if (headers.length !== 1 || credential === undefined",
    "if (credential === undefined",
  ),
  at("auth-service/http/authenticate.ts", ["auth-service/features/tickets/tickets.test.ts"])(
    "the rate of requests to the auth service",
    "await countRequest(subject, caller.requestsPerMinute)",
    "void subject",
  ),
  at("auth-service/features/accounts/sign-in.ts", ["auth-service/features/accounts/accounts.test.ts"])(
    "the secret of a session of the auth service",
    "if (!session?.response || !secrets.isOf(session.response.session.token, secret))",
    "if (!session?.response || secret === null)",
  ),

  // Several servers
  at("box/http/box-token.ts", [
    "box/start/forwarding.test.ts",
    "box/http/guard.test.ts",
    "box/http/wrong-keys.test.ts",
  ])(
    "the token of forwarded requests",
    "return token !== null && isToken(headers[forwardedHeader], token)",
    "return token !== null && headers[forwardedHeader] !== undefined",
  ),
  at("box/core/objects/owned-store.ts", ["box/core/objects/owned-store.test.ts"])(
    "files of another Casella",
    "if (note?.owner !== id)",
    "if (note === undefined)",
  ),
  at("box/core/objects/owned-store.ts", ["box/core/objects/owned-store.test.ts"])(
    "files of a copied database",
    `if (named !== null && database !== "any" && named !== database) throw`,
    "if (named === undefined) throw",
  ),
]

/** Returns the check of this name. Throws an error that names the most similar ones. */
export function findSecurityCheck(name: string): SecurityCheck {
  const check = securityChecks.find((each) => each.name === name)
  if (check) return check
  throw new Error(`There is no check "${name}". \`npm run test:security -- --list\` lists them.`)
}

/** Returns the source without the check. Throws if the check isn't where the list says. */
export function removeSecurityCheck({ name, file, find, replace }: SecurityCheck, source: string): string {
  if (source.split(find).length !== 2) throw new Error(`The check "${name}" isn't found once in ${file}.`)
  return source.replace(find, () => replace)
}

const root = join(import.meta.dirname, "..")

/** Removes the check of this name from the modules that tests load; programs that tests start keep it. */
export function withoutSecurityCheck(name: string | undefined): Plugin {
  const check = name === undefined ? undefined : findSecurityCheck(name)
  const path = check && join(root, check.file).replaceAll("\\", "/")
  const isChanged = (id: string) => id.split("?", 1)[0] === path
  return {
    name: "without-check",
    enforce: "pre",
    transform: (source, id) => (check && isChanged(id) ? removeSecurityCheck(check, source) : undefined),
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id }) => (isChanged(id) ? false : undefined)) // the changed module isn't stored in the cache
    },
  }
}
