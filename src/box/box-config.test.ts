import { expect, it } from "vitest"
import { readConfig, readWholeConfig } from "./box-config.ts"

const localOnly = (value: string) => readConfig({}, { CASELLA_LOCAL_ONLY: value }).localOnly

// Catches a safety switch that stays off because of its spelling.
it("is local-only with any usual spelling, and refuses unknown values", () => {
  expect(["1", "true", "YES", "on"].map(localOnly)).toEqual([true, true, true, true])
  expect(["", "0", "false", "no", "off"].map(localOnly)).toEqual([false, false, false, false, false])
  expect(() => localOnly("2")).toThrow("CASELLA_LOCAL_ONLY takes 1 or 0")
  expect(readConfig({ "local-only": true }, { CASELLA_LOCAL_ONLY: "0" }).localOnly).toBe(true)
})

// Catches an address that is misinterpreted, an error that reveals its password, and a local-only box with its rows on another computer.
it("accepts a PostgreSQL address, and never reveals its credentials", () => {
  const url = "postgres://casella:hunter2@db.example/casella"
  expect(readConfig({}, {}).databaseUrl).toBeNull()
  expect(readConfig({}, { CASELLA_DATABASE_URL: url }).databaseUrl).toBe(url)
  expect(
    readConfig({ "database-url": "postgresql:///casella" }, { CASELLA_DATABASE_URL: url }).databaseUrl,
  ).toBe("postgresql:///casella")
  for (const wrong of [
    "mysql://casella:hunter2@db.example/casella",
    "casella:hunter2",
    "postgres://[hunter2",
  ])
    expect(() => readConfig({ "database-url": wrong }, {})).toThrow(
      /^(?!.*hunter2).*--database-url takes an address/,
    )
  const localOnly = (address: string) => () => readConfig({ "database-url": address, "local-only": true }, {})
  expect(localOnly(url)).toThrow("the database is on db.example")
  expect(localOnly("postgres://casella@localhost/casella")).not.toThrow()
  expect(localOnly("postgres:///casella?host=/run/postgresql")).not.toThrow()
  expect(localOnly("postgres:///casella")).not.toThrow()
  expect(() =>
    readConfig({ "local-only": true }, { CASELLA_DATABASE_URL: "postgres:///c", PGHOST: "db.example" }),
  ).toThrow("the database is on db.example")
  expect(localOnly("postgres:///casella?host=db.example")).toThrow("the database is on db.example")
})

// Catches a box that admits everyone known to a provider because no one was specified, and unencrypted codes or tokens.
it("requires a provider's complete configuration or none", async () => {
  const issuer = "https://id.example"
  const whole = { "oidc-issuer": issuer, "oidc-client-id": "casella", "oidc-groups": "staff, heads" }
  const read = async (flags: object, env: Record<string, string> = {}) =>
    (await readWholeConfig({ ...whole, ...flags }, env)).oidc
  expect((await readWholeConfig({}, {})).oidc).toBeNull()
  expect(await read({}, { CASELLA_OIDC_CLIENT_SECRET: "hunter2" })).toEqual({
    issuer,
    clientId: "casella",
    clientSecret: "hunter2",
    groups: ["staff", "heads"],
    ownerGroups: [],
    groupsClaim: "groups",
  })
  const open = { groups: null, ownerGroups: ["heads"] }
  expect(await read({ "oidc-groups": "*", "oidc-owner-groups": "heads" })).toMatchObject(open)
  expect((await read({ "oidc-groups": "", "oidc-owner-groups": "heads" }))?.groups).toEqual(["heads"])
  const here = { "local-only": true, "oidc-issuer": "http://127.0.0.1:9" }
  expect((await read(here))?.issuer).toBe("http://127.0.0.1:9")
  for (const [flags, message] of [
    [{ "oidc-groups": undefined }, "State who may sign in"],
    [{ "oidc-groups": "*,staff" }, "can only be used alone"],
    [{ "oidc-owner-groups": "*" }, "can only be used alone"],
    [{ "oidc-client-id": undefined }, "needs --oidc-client-id"],
    [{ "oidc-issuer": undefined }, "--oidc-client-id has no effect without --oidc-issuer"],
    [{ "oidc-issuer": "http://id.example" }, "takes an https address"],
    [{ "oidc-issuer": "id.example" }, "takes an https address"],
    [{ "local-only": true }, "--oidc-issuer is id.example"],
  ] as const)
    await expect(read(flags)).rejects.toThrow(message)
  await expect(readWholeConfig({}, { CASELLA_OIDC_CLIENT_SECRET: "hunter2" })).rejects.toThrow(
    /^(?!.*hunter2).*has no effect/,
  )
})

it("accepts the public URL for browsers, without a path", async () => {
  const read = async (value: string) => (await readWholeConfig({ "public-url": value }, {})).publicUrl
  expect(await read("https://casella.example/")).toBe("https://casella.example")
  for (const wrong of [
    "http://casella.example",
    "https://casella.example/sub",
    "https://me:pw@casella.example",
    "x",
  ])
    await expect(read(wrong)).rejects.toThrow("--public-url takes")
})

// Catches `null`, which every sandboxed frame of any web page sends as its origin, and a pattern that only seems to work.
it("accepts exact web origins, but neither null nor patterns", () => {
  const origins = (...flags: string[]) => readConfig({ "allow-origin": flags }, {}).allowedOrigins
  expect(origins("HTTPS://App.Example:443/page?a=b", "http://[::1]:3000", "app://obsidian.md")).toEqual([
    "https://app.example",
    "http://[::1]:3000",
    "app://obsidian.md",
  ])
  for (const wrong of [
    "null",
    "*",
    "https://*",
    "https://*.example",
    "file://",
    "app.example",
    "data:text/html,x",
    "",
  ])
    expect(() => origins(wrong), wrong).toThrow("--allow-origin takes an origin")
})
