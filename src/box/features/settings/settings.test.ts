import { afterAll, beforeAll, expect, it } from "vitest"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

const read = async () => (await box.client.settings.read()).settings

it("leaves what a patch doesn't name, and keeps everything over a restart", async () => {
  const before = await read()
  await box.client.settings.update({ body: { allowedHosts: ["box.example"] } })
  await box.client.settings.update({ body: { mutedCategories: ["chat"] } })
  const expected = { ...before, allowedHosts: ["box.example"], mutedCategories: ["chat"] }
  expect(await read()).toEqual(expected)
  await box.restart()
  expect(await read()).toEqual(expected)
})

// Would catch: any user of the box opening it to a web page or a host name of theirs.
it("lets only an owner change what holds for everyone", async () => {
  const member = await addUser(box, "ann@example.com")
  const before = await read()
  for (const body of [
    { allowedOrigins: ["https://evil.example"] },
    { allowedHosts: ["evil.example"], mutedCategories: ["email" as const] },
    { textEvent: "text" as const },
  ]) {
    await expect(member.settings.update({ body })).rejects.toMatchObject({ code: "forbidden" })
  }
  expect(await read()).toEqual(before)
  const own = (await member.settings.update({ body: { mutedCategories: ["email"] } })).settings
  expect(own).toEqual({ ...before, mutedCategories: ["email"] })
})

it("refuses what it doesn't know how to be", async () => {
  const wrong = box.client.settings.update({ body: { textEvent: "words" as "text" } })
  await expect(wrong).rejects.toMatchObject({ code: "validation", details: [{ field: "textEvent" }] })
})
