import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { OpenDatabase } from "../../core/database.ts"
import { openDatabase } from "../../core/open-database.ts"
import { createLimits, type Limits, getNetwork, createWindows } from "./limits.ts"

let directory: string
let database: OpenDatabase
let limits: Limits
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-limits-"))
  database = await openDatabase(directory, null)
  limits = createLimits(createWindows(database.db))
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

/** Number of admitted attempts out of `count`. */
async function admitted(
  count: number,
  getEmail: (index: number) => string,
  getAddress: (index: number) => string,
) {
  let admittedCount = 0
  for (let index = 0; index < count; index++)
    await limits.admitSignIn(getEmail(index), getAddress(index)).then(
      () => admittedCount++,
      () => undefined,
    )
  return admittedCount
}
const ann = () => "ann@example.com"
const here = () => "203.0.113.7"

describe("Sign-in attempts", () => {
  // Catches a stranger who locks a user out by guessing passwords for their account.
  it("from elsewhere don't lock out the account's owner", async () => {
    expect(await admitted(60, ann, () => "198.51.100.1")).toBe(10)
    await limits.admitSignIn(ann(), here())
  })

  // Catches unlimited guesses at one account from many computers.
  it("on one account are limited across all networks", async () => {
    expect(await admitted(400, ann, (index) => `198.51.${index >> 3}.1`)).toBe(100)
  })

  // Catches passwords tried on all accounts from one network, which may have billions of addresses.
  it("from one network are limited across all accounts, whichever of its addresses they use", async () => {
    const email = (index: number) => `user${index}@example.com`
    expect(await admitted(200, email, (index) => `2001:db8:1:2::${index.toString(16)}`)).toBe(50)
    expect(await admitted(1, email, () => "2001:db8:1:3::1")).toBe(1)
  })

  // Catches a network over its limit that still uses up accounts' attempts, or fills the table.
  it("from a network over its limit don't count against accounts", async () => {
    await admitted(50, (index) => `other${index}@example.com`, here)
    const before = await database.db.selectFrom("rateWindows").selectAll().execute()
    expect(await admitted(300, (index) => `fresh${index}@example.com`, here)).toBe(0)
    expect(await database.db.selectFrom("rateWindows").selectAll().execute()).toEqual(before)
  })

  // Catches a password that is stored in the database because it was typed as the email address.
  it("are counted without storing the input", async () => {
    await limits.admitSignIn("My Secret Password", here())
    const rows = await database.db.selectFrom("rateWindows").selectAll().execute()
    expect(JSON.stringify(rows).toLowerCase()).not.toContain("secret")
  })

  it("start from zero after the correct password", async () => {
    expect(await admitted(9, ann, here)).toBe(9)
    await limits.forgiveSignIn(ann(), here())
    expect(await admitted(12, ann, here)).toBe(10)
  })
})

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", "unknown"],
])("%s belongs to %s", (address, network) => {
  expect(getNetwork(address)).toBe(network)
})
