import { expect, test } from "vitest"
import { type Command, fit, ranked, unsearched } from "./command.ts"

const command = (name: string, group: Command["group"] = "chats"): Command => ({
  id: name,
  name,
  group,
  icon: null,
  run: () => undefined,
})
const shape = (sections: ReturnType<typeof ranked>) =>
  sections.map(({ group, commands }) => [group, ...commands.map(({ name }) => name)])

test.each([
  ["New chat", "new", 3],
  ["Old (new) chat", "new", 2],
  ["Renewal", "new", 1],
  ["Città d’arte", "citta", 3],
  ["Città d’arte", "arte", 2],
  ["Prices (C++)", "c++", 2],
  ["Old", "new", 0],
])("matches %j with %j: %i", (name, search, expected) => {
  expect(fit(name, search)).toBe(expected)
})

// Catches a folder that starts with the search text but is listed below ten chats that only contain it.
test("lists the best match first, with its group, and text found by the box last", () => {
  const commands = [command("A plan"), command("Planning"), command("Airplane"), command("Plants", "folders")]
  const sections = ranked(commands, "plan", [command("…we planned it…", "messages")])
  expect(shape(sections)).toEqual([
    ["chats", "Planning", "A plan", "Airplane"],
    ["folders", "Plants"],
    ["messages", "…we planned it…"],
  ])
  expect(shape(ranked(commands, "plants", []))).toEqual([["folders", "Plants"]])
})

// Catches a search for "mute" that finds nothing, and alternative names ranked above real names.
test("ranks alternative names after real names and after commands of the screen", () => {
  const commands = [
    { ...command("Notifications", "settings"), words: "mute, silence" },
    command("Mute swans"),
    { ...command("Export this chat", "here"), words: "commuted" },
    { ...command("This one", "here"), words: "to mute" },
  ]
  expect(shape(ranked(commands, "mute", []))).toEqual([
    ["here", "This one"],
    ["chats", "Mute swans"],
    ["settings", "Notifications"],
  ])
  expect(shape(unsearched(commands, ["Mute swans"]))[0]).toEqual(["here", "Export this chat", "This one"])
})

test("lists recently used commands first, and only once, before anything is typed", () => {
  const commands = [command("New chat", "actions"), command("Yesterday"), command("Today")]
  expect(shape(unsearched(commands, ["Today", "gone"]))).toEqual([
    ["recent", "Today"],
    ["chats", "Yesterday"],
    ["actions", "New chat"],
  ])
})
