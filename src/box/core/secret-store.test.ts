import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { silentLogger } from "./logging/logger.ts"
import { openSecretFile, type Seal } from "./secret-store.ts"

const freshPath = () => join(mkdtempSync(join(tmpdir(), "casella-secrets-")), "secrets.json")

/** Reverses text, as a stand-in for the system's keychain. */
const turning: Seal = {
  close: (value) => Promise.resolve(value.split("").toReversed().join("")),
  open: (sealed) => Promise.resolve(sealed.split("").toReversed().join("")),
}
const broken: Seal = { ...turning, open: () => Promise.reject(new Error("not for this user")) }

test("keeps, replaces and deletes a secret", async () => {
  const path = freshPath()
  const store = openSecretFile(path, silentLogger)
  expect(await store.get("cloud")).toBeNull()
  await store.set("cloud", "first")
  await store.set("cloud", "second")
  expect(await openSecretFile(path, silentLogger).get("cloud")).toBe("second")
  await store.delete("cloud")
  await store.delete("cloud")
  expect(await store.get("cloud")).toBeNull()
})

// Catches a file that other users of the computer can read, and copies of it that are left behind.
test("makes a single file that only its owner can read", { tags: "unix" }, async () => {
  const path = freshPath()
  await openSecretFile(path, silentLogger).set("cloud", "value")
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(path, ".."), { recursive: true })).toEqual(["secrets.json", "tmp"])
})

// Catches a refreshed token that is written to another directory's secrets, because that directory replaced the data directory.
test("writes nothing if the directory doesn't belong to the box any more", async () => {
  const path = freshPath()
  writeFileSync(path, "[]")
  const store = openSecretFile(path, silentLogger, null, () => {
    throw new Error("moved")
  })
  await expect(store.set("cloud", "value")).rejects.toThrow("moved")
  await expect(store.delete("cloud")).rejects.toThrow("moved")
  expect(readFileSync(path, "utf8")).toBe("[]")
})

test("warns once about unencrypted storage, but not about encrypted", async () => {
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
  const store = openSecretFile(freshPath(), logger)
  await store.set("a", "1")
  await store.set("b", "2")
  await openSecretFile(freshPath(), logger, turning).set("a", "1")
  expect(warnings).toEqual(["Secrets are stored unencrypted, readable by your user account only"])
})

test("encrypts a secret in the file, so that no one else can open it", async () => {
  const path = freshPath()
  await openSecretFile(path, silentLogger, turning).set("cloud", "tok_123")
  expect(readFileSync(path, "utf8")).not.toContain("tok_123")
  expect(await openSecretFile(path, silentLogger, turning).get("cloud")).toBe("tok_123")
  expect(await openSecretFile(path, silentLogger).get("cloud")).toBeNull()
  expect(await openSecretFile(path, silentLogger, broken).get("cloud")).toBeNull()
})

// Catches concurrent changes of which one reads before the other has written.
test("keeps all concurrent changes", async () => {
  const store = openSecretFile(freshPath(), silentLogger, turning)
  await Promise.all(Array.from({ length: 20 }, (_, index) => store.set(`name ${index}`, `${index}`)))
  expect(await Promise.all(Array.from({ length: 20 }, (_, index) => store.get(`name ${index}`)))).toEqual(
    Array.from({ length: 20 }, (_, index) => `${index}`),
  )
})

// Catches names that reach built-in properties of an object.
test.each(["__proto__", "constructor", "toString"])("accepts %s like any other name", async (name) => {
  const store = openSecretFile(freshPath(), silentLogger)
  expect(await store.get(name)).toBeNull()
  await store.set(name, "value")
  expect(await store.get(name)).toBe("value")
})

// Catches a damaged file that is mistaken for an empty one and then overwritten.
test("leaves a damaged file unchanged", async () => {
  const path = freshPath()
  writeFileSync(path, '{"cloud":')
  const store = openSecretFile(path, silentLogger)
  await expect(store.get("cloud")).rejects.toThrow()
  await expect(store.set("other", "1")).rejects.toThrow()
  expect(readFileSync(path, "utf8")).toBe('{"cloud":')
})
