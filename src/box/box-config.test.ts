import { expect, it } from "vitest"
import { readConfig } from "./box-config.ts"

const localOnly = (value: string) => readConfig({}, { CASELLA_LOCAL_ONLY: value }).localOnly

// Would catch: a switch for safety that a spelling leaves off.
it("is local-only when it is told so in whatever words, and refuses words it doesn't know", () => {
  expect(["1", "true", "YES", "on"].map(localOnly)).toEqual([true, true, true, true])
  expect(["", "0", "false", "no", "off"].map(localOnly)).toEqual([false, false, false, false, false])
  expect(() => localOnly("2")).toThrow("CASELLA_LOCAL_ONLY takes 1 or 0")
  expect(readConfig({ "local-only": true }, { CASELLA_LOCAL_ONLY: "0" }).localOnly).toBe(true)
})

// Would catch: an address that is taken for something else, one whose password is told to whoever reads the error, and rows on
// another computer of a box that sends nothing anywhere.
it("takes the address of a PostgreSQL database, and tells nobody what signs in to it", () => {
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
  expect(localOnly(url)).toThrow("the rows are on db.example")
  expect(localOnly("postgres://casella@localhost/casella")).not.toThrow()
  expect(localOnly("postgres:///casella?host=/run/postgresql")).not.toThrow()
  expect(localOnly("postgres:///casella")).not.toThrow()
  expect(() =>
    readConfig({ "local-only": true }, { CASELLA_DATABASE_URL: "postgres:///c", PGHOST: "db.example" }),
  ).toThrow("the rows are on db.example")
  expect(localOnly("postgres:///casella?host=db.example")).toThrow("the rows are on db.example")
})
