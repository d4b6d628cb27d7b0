import { Scope } from "../../shared/contract/endpoint.ts"
import { dataDirectory } from "../box-config.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import { findRunningBox } from "../core/data-directory/instance-lock.ts"
import { createKeys } from "../features/accounts/keys.ts"
import { noteCommand } from "../features/audit/audit-store.ts"
import { createPeople, type People } from "../features/accounts/people.ts"
import { createSessions } from "../features/accounts/sessions.ts"
import { type Command, type CommandFlags, type Flag, jsonFlag, withDatabase } from "./command.ts"
import { columns, printList } from "./terminal.ts"
import { TerminalError } from "../core/terminal-error.ts"

const nothing = () => undefined
const row = (...cells: (string | number | null)[]): string[] => cells.map((cell) => String(cell ?? "-"))
/** The user named by `--user EMAIL`; defaults to the local owner. */
export async function chosenUser(people: People, email: string | undefined) {
  await people.ensureOwner()
  if (email === undefined) return people.localOwner()
  const user = await people.findByEmail(email)
  if (!user) throw new TerminalError("not_found", `There is no user ${email}. "users list" lists all users.`)
  if ((await people.person(user.id)).disabledAt !== null)
    throw new TerminalError("conflict", `${email} is disabled. "users enable ${email}" enables them again.`)
  return user
}

/** Disables or enables a user. A running box ends a disabled user's open connections. */
const setDisabled = (flags: CommandFlags, email: string, disabled: boolean) =>
  withDatabase(flags, async ({ db }) => {
    const people = createPeople(db)
    await people.ensureOwner()
    const user = await people.findByEmail(email)
    if (!user)
      throw new TerminalError("not_found", `There is no user ${email}. "users list" lists all users.`)
    await noteCommand(
      db,
      disabled ? "people.disabled" : "people.enabled",
      { id: user.id, name: user.name },
      () => people.change(user.id, { disabled }),
    )
    return [`${disabled ? "Disabled" : "Enabled"} ${email}`]
  })

/** Scopes of a key; null gives it full rights. */
function readScopes(names: readonly string[] | undefined): Scope[] | null {
  if (names === undefined) return null
  const scopes = Scope.array().safeParse(names)
  if (scopes.success) return scopes.data
  throw new TerminalError("validation", `--scope takes one of: ${Scope.options.join(", ")}.`)
}

function required(value: string | undefined, flag: string): string {
  if (value !== undefined && value.trim() !== "") return value.trim()
  throw new TerminalError("validation", `${flag} is missing.`)
}

const userFlag: Flag = { name: "user", takes: "EMAIL", about: "Owner of the key (default: the local owner)" }

export const accountCommands: readonly Command[] = [
  {
    words: ["keys", "create"],
    takes: [],
    summary: "Create an API key and print it, once",
    flags: [
      { name: "name", takes: "NAME", about: "Name of the key", required: true },
      userFlag,
      { name: "scope", takes: Scope.options.join("|"), about: "Limit the key to this scope (repeatable)" },
    ],
    async run(flags) {
      const draft = { name: required(flags.name, "--name NAME"), scopes: readScopes(flags.scope) }
      const createKey = async ({ db }: OpenDatabase) => {
        const user = await chosenUser(createPeople(db), flags.user)
        const create = () => createKeys(db, nothing).create(user.id, draft)
        return [(await noteCommand(db, "keys.created", { id: null, name: draft.name }, create)).key]
      }
      return withDatabase(flags, createKey, { create: true })
    },
  },
  {
    words: ["keys", "list"],
    takes: [],
    summary: "List API keys with owner, scopes and last use",
    flags: [jsonFlag],
    run: (flags) =>
      withDatabase(flags, async ({ db }) =>
        printList(flags, await createKeys(db, nothing).listAll(), (key) =>
          row(key.id, key.name, key.email, key.scopes?.join(",") ?? "all", `${key.hint}…`, key.lastUsedAt),
        ),
      ),
  },
  {
    words: ["keys", "revoke"],
    takes: ["ID"],
    summary: "Revoke an API key immediately",
    flags: [],
    run: (flags, [id = ""]) =>
      withDatabase(flags, async ({ db }) => {
        const revoke = () => createKeys(db, nothing).revoke(null, id)
        await noteCommand(db, "keys.revoked", { id, name: null }, revoke)
        return [`Revoked ${id}`]
      }),
  },
  {
    words: ["users", "add"],
    takes: ["EMAIL"],
    summary: "Add a user to the workspace",
    flags: [{ name: "name", takes: "NAME", about: "Name of the user", required: true }],
    async run(flags, [email = ""]) {
      if (!/^[^\s@]+@[^\s@]+$/.test(email))
        throw new TerminalError("validation", `"${email}" isn't an e-mail address.`)
      const name = required(flags.name, "--name NAME")
      const addUser = async ({ db }: OpenDatabase) => {
        const people = createPeople(db)
        await people.ensureOwner()
        const add = () => people.add(email, name)
        const user = await noteCommand(db, "people.added", { id: null, name }, add)
        return columns([row(user.id, user.email, user.name)])
      }
      return withDatabase(flags, addUser, { create: true })
    },
  },
  {
    words: ["users", "list"],
    takes: [],
    summary: "List users with role and, if disabled, since when",
    flags: [jsonFlag],
    run: (flags) =>
      withDatabase(flags, async ({ db }) => {
        const people = createPeople(db)
        await people.ensureOwner()
        return printList(flags, await people.listPeople(), ({ id, email, name, role, disabledAt }) =>
          row(id, email, name, role, disabledAt),
        )
      }),
  },
  {
    words: ["users", "disable"],
    takes: ["EMAIL"],
    summary: "Disable a user immediately; their data is kept",
    flags: [],
    run: (flags, [email = ""]) => setDisabled(flags, email, true),
  },
  {
    words: ["users", "enable"],
    takes: ["EMAIL"],
    summary: "Enable a disabled user",
    flags: [],
    run: (flags, [email = ""]) => setDisabled(flags, email, false),
  },
  {
    words: ["workspaces", "list"],
    takes: [],
    summary: "List workspaces with their number of members",
    flags: [jsonFlag],
    run: (flags) =>
      withDatabase(flags, async ({ db }) => {
        const people = createPeople(db)
        await people.ensureOwner()
        return printList(flags, await people.workspaces(), ({ id, name, members }) => row(id, name, members))
      }),
  },
  {
    words: ["signin"],
    takes: [],
    summary: "Print a one-time sign-in link",
    flags: [{ name: "user", takes: "EMAIL", about: "User to sign in (default: the local owner)" }],
    async run(flags) {
      const box = findRunningBox(dataDirectory(flags))
      if (!box)
        throw new TerminalError(
          "unavailable",
          "The server isn't running, so there is no page to open. Start it first.",
        )
      const { readPublicUrl } = await import("../oidc-config.ts")
      const url = readPublicUrl({}, process.env) ?? box.url
      return withDatabase(flags, async ({ db }) => {
        const user = await chosenUser(createPeople(db), flags.user)
        const make = () => createSessions(db, nothing).createSignInToken(user.id)
        return [`${url}/#/signin?token=${await noteCommand(db, "people.link_made", user, make)}`]
      })
    },
  },
]
